/* expect: the attribute `optimize` of `f` may change what the region computes */
void __attribute__((noinline, optimize("fast-math"))) f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] / 3;
}
