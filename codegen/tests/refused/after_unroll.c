/* expect: another pragma stands before the region */
void f(int n, int *restrict a)
{
#pragma GCC unroll 4
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
