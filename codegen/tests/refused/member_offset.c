/* expect: an offset is added to an array inside a struct */
struct table { double v[8]; };
void f(int n, struct table *restrict t, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = *(t[i].v + 2);
}
