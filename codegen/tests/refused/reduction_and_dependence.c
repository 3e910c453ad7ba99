/* expect: no parallelism was found: line 8 needs what line 8 wrote to `a` */
double f(int n, double *restrict a)
{
  double sum = 0;
#pragma dvm region reduction(+:sum)
  for (int i = 1; i < n; i++)
  {
    a[i] = a[i - 1] * 0.5;
    sum += a[i];
  }
  return sum;
}
