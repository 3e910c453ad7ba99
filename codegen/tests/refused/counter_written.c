/* expect: the loop counter is assigned in its loop */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    { a[i] = 0; if (a[i] < 1) i++; }
}
