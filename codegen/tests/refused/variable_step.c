/* expect: this loop's step is not a constant */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i += n)
    a[i] = 0;
}
