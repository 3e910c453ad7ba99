/* expect: the length of the array that this subscript belongs to is not known */
struct list { int n; double v[]; };
void f(int n, struct list *s, double *a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = s->v[i];
}
