/* expect: `x` is a pointer, reduced */
void f(int n, double *restrict a, double *x)
{
#pragma dvm region private(x)
  for (int i = 0; i < n; i++) {
    x[i & 3] = a[i];
    a[i] = x[i & 3];
  }
}
