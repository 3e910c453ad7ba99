/* expect: declares several variables */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0, j = 0; i < n; i++)
    a[i] = j;
}
