/* expect: the pragma stands before another pragma */
void f(int n, double *restrict a)
{
#pragma dvm region
#pragma GCC ivdep
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
