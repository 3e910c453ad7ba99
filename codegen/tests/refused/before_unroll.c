/* expect: the pragma stands before something else than a loop or block */
void f(int n, double *restrict a)
{
#pragma dvm region
#pragma unroll(4)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
