/* expect: and this is no update with that operator */
double f(int n, double *restrict a, double *restrict b)
{
  double least = a[0];
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    if (a[i] < least)
      least = b[i];
  return least;
}
