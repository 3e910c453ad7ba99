/* expect: `#pragma clang fp reassociate(on)` would reach the function, or the region, but not its tiles */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
#pragma clang fp reassociate(on)
    a[i] = a[i] * 3 + 1;
  }
}
