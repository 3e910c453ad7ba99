/* expect: volatile and atomic objects keep their order of accesses */
void f(int n, double *restrict a, _Atomic(double) *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
