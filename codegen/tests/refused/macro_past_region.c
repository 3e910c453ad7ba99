/* expect: a macro holds statements of the region and others */
#define BOTH(x) x; x
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    BOTH(a[0] += 1);
}
