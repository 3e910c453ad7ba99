/* expect: a tile size is a positive integer expression */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region tile(0)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
