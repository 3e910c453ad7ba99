/* expect: `independent(k)`: the region has no such loop */
void f(int n, double *restrict a)
{
#pragma dvm region independent(i, k)
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    for (int k = 0; k < n; k++)
      a[i] += k;
  }
}
