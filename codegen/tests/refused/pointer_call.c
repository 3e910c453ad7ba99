/* expect: called through a pointer */
void f(int n, double (*g)(double), double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = g(b[i]);
}
