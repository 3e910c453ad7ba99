/* expect: the strides `m` and `n` do not divide each other */
void f(int n, int m, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + i * m + j] = 0;
}
