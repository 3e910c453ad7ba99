/* expect: which elements is not known: this is not an affine expression [count[i]] */
void f(int n, int *restrict count, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < count[i]; j++)
      a[j] += b[i];
}
