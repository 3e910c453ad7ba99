/* expect: `sum` has the clause reduction(+:sum), and this is no update with that operator */
double f(int n, double *restrict a, double *restrict b)
{
  double sum = 0;
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++) {
    sum += a[i];
    b[i] = sum;
  }
  return sum;
}
