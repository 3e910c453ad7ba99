/* expect: a `continue` of a loop around the region is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
  for (int k = 0; k < n; k++) {
#pragma dvm region
    {
      if (b[k] < 0)
        continue;
      for (int i = 0; i < n; i++)
        a[i] = k;
    }
    b[k] = a[0];
  }
}
