/* expect: it cannot be told that this loop ends */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i != n; i += 2)
    a[i] = 0;
}
