/* expect: a macro is defined inside the region */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
#define T 3
    a[i] = T;
  }
}
