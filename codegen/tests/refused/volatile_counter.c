/* expect: the loop counter `i` is volatile */
void f(int n, double *restrict a, double *restrict b)
{
  volatile int i;
#pragma dvm region
  for (i = 0; i < n; i++)
    a[i] = 0;
}
