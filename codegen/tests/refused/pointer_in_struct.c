/* expect: double *a = s->a; */
struct s { double *a; };
void f(int n, struct s *s)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    s->a[i] = 0;
}
