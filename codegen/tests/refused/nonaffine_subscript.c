/* expect: the counters `i` and `i` are multiplied */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i * i] = 0;
}
