/* expect: a label is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
  int k = 0;
again:
  if (k++ < 2) goto again;
#pragma dvm region
  for (int i = 0; i < n; i++)
  here: a[i] = 0;
}
