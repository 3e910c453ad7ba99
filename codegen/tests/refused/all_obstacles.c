/* expect: a `return` is not in the language of regions */
int printf(const char *, ...);
void f(int n, double *restrict a, int *restrict index)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[index[i]] = 0;
    if (a[i] > 1)
      return;
    printf("%d\n", i);
  }
}
