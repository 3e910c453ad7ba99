/* expect: is not in the language of regions */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
  again:
    a[i] = a[i] * 0.5;
    if (a[i] > 1)
      goto again;
  }
}
