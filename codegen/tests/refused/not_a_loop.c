/* expect: stands before something else than a loop or block */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  a[0] = n;
}
