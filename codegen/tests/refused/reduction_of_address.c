/* expect: `sum` is not local to the function, or its address is known elsewhere */
void g(double *);
double f(int n, double *restrict a)
{
  double sum = 0;
  g(&sum);
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
