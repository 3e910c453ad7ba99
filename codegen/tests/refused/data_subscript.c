/* expect: line 6 overwrites what line 6 wrote to `a`, at distance (*); which elements is not known: this subscript depends on data [perm[i]] */
void f(int n, int *restrict perm, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[perm[i]] = b[i];
}
