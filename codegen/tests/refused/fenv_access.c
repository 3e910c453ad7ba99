/* expect: `#pragma STDC FENV_ACCESS ON` would reach the function, or the region, but not its tiles */
#define EXACT _Pragma("STDC FENV_ACCESS ON")
void f(int n, double *restrict a)
{
  EXACT
  a[0] = 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 3 + 1;
}
