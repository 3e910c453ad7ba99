/* expect: the attribute `__optimize__` of `f` may change what the region computes */
#define QUICK __attribute__((__optimize__("O3", "fast-math")))
void f(int n, double *restrict a) QUICK;
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] / 3;
}
