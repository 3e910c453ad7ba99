/* expect: declares several variables, and its step changes none of them */
void f(int n, double *restrict a, int k)
{
#pragma dvm region
  for (int i = 0, j = 0; i < n; k++)
    a[j] = k;
}
