/* expect: is not of an integer type */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (double x = 0; x < n; x++)
    a[0] += x;
}
