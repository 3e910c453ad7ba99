/* expect: in two ways, which treat a NaN differently */
double f(int n, double *restrict a, double *restrict b)
{
  double most = 0;
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++) {
    if (a[i] > most)
      most = a[i];
    most = most > b[i] ? most : b[i];
  }
  return most;
}
