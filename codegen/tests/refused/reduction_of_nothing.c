/* expect: the loop has no variable `all` from before it */
double f(int n, double *restrict a)
{
  double sum = 0;
#pragma dvm region reduction(+:all)
  for (int i = 0; i < n; i++)
    a[i] = 0;
  return sum;
}
