/* expect: the value may leave the range of `unsigned int` and wrap around */
void f(int n, unsigned m, double *restrict a)
{
#pragma dvm region
  for (int i = -n; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * m + j] = 0;
}
