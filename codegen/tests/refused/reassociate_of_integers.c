/* expect: and `sum` is an integer, which needs no clause */
int f(int n, const int *restrict a)
{
  int sum = 0;
#pragma dvm region reduction(+:sum) reassociate
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
