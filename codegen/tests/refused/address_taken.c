/* expect: an address is taken */
__attribute__((const)) double sink(double *);
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sink(&b[i]);
}
