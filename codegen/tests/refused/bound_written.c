/* expect: `m` changes in the region */
void f(int n, double *restrict a, double *restrict b)
{
  int m = n;
#pragma dvm region
  for (int i = 0; i < m; i++)
    { a[i] = 0; m = 3; }
}
