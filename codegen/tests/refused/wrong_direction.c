/* expect: does not end the loop in the direction of its step */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i--)
    a[i] = 0;
}
