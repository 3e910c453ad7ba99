/* expect: and this is no update with that operator */
int f(int n, double *restrict a)
{
  int sum = 0;
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
