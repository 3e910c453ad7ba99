/* expect: `#pragma STDC FP_CONTRACT OFF` would reach the function, or the region, but not its tiles */
void f(int n, double *restrict a)
{
#pragma STDC FP_CONTRACT OFF
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 3 + 1;
}
