/* expect: `W` is declared inside the function */
void f(int n, double *restrict a, double *restrict b)
{
  enum { W = 3 };
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = W;
}
