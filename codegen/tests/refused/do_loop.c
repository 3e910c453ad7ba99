/* expect: a `do` loop is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    do { a[i] -= 1; } while (a[i] > 0);
}
