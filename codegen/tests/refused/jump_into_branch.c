/* expect: a `goto` is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      goto inside;
    if (i > 5) {
    inside:
      b[i] = 1;
    }
  }
}
