void f(unsigned n, unsigned long m, double *restrict a)
{
#pragma dvm region
  for (unsigned i = 1; i < n - 1; i++)
    a[i - 1] = a[i + 1];
#pragma dvm region
  for (int k = 0; k < m; k++)
    a[k / 2] += k % 3;
}
