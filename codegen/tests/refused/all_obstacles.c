/* expect: a `while` loop is not in the language of regions */
int printf(const char *, ...);
void f(int n, double *restrict a, int *restrict index)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[index[i]] = 0;
    while (a[i] > 1)
      a[i] /= 2;
    printf("%d\n", i);
  }
}
