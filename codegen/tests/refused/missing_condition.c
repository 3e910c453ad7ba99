/* expect: this loop has no condition */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0;; i++)
    a[i] = 0;
}
