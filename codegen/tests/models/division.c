void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = -n; i < n; i++)
    a[i / 2 + n] = b[i % 2 + 1];
#pragma dvm region
  for (int i = 0; i < n / 2; i++)
    if ((i - n) % 2 == 0)
      a[2 * i] = b[i];
}
