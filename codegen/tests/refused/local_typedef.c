/* expect: the type `real` is declared inside the function */
void f(int n, double *restrict a, double *restrict b)
{
  typedef float real;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = (real)b[i];
}
