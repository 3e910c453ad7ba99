/* expect: the variable-length array `t` is declared in the region */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    { double t[n]; t[0] = b[i]; a[i] = t[0]; }
}
