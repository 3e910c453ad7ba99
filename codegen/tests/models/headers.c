void f(int n, long m, double *restrict a)
{
  int i;
#pragma dvm region
  {
    for (i = 0; i <= n; ++i) a[i] = 0;
    for (i = n - 1; i >= 0; i--) a[i] = 1;
    for (i = 3; i < n; i += 2) a[i] = 2;
    for (i = n; i > 0; i = i - 3) a[i] = 3;
    for (long k = 0; k != m; k++) a[k] = 4;
    for (i = 0; n > i && 2 * i < 40; i++) a[i] = 5;
  }
}
