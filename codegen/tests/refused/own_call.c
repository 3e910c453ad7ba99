/* expect: `again` calls itself, and is not declared before its definition */
double again(int n, double *restrict a)
{
  if (n == 0)
    return 1;
#pragma dvm region pure(again)
  for (int i = 0; i < n; i++)
    a[i] += again(0, 0);
  return 2;
}
