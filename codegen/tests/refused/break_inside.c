/* expect: a `break` of a loop that is not inside another is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    { if (a[i] < 0) break; a[i] = 0; }
}
