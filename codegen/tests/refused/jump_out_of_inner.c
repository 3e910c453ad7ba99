/* expect: a `goto` is not in the language of regions */
void f(int n, double *restrict a, double (*restrict b)[100])
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (b[i][j] < 0)
        goto found;
      a[i] = j;
    }
  found:
    a[i] = a[i] + 1;
  }
}
