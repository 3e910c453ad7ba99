/* expect: unknown option `tyle` in the pragma */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region tyle(32)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
