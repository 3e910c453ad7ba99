/* expect: used */
struct { double a[10]; } s;
void f(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    s.a[i] = n;
}
