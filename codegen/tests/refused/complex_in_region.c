/* expect: `#pragma STDC CX_LIMITED_RANGE ON` would reach the function, or the region, but not its tiles */
void f(int n, double _Complex *restrict a)
{
#pragma dvm region
  {
#pragma STDC CX_LIMITED_RANGE ON
    for (int i = 0; i < n; i++)
      a[i] = a[i] * a[i];
  }
}
