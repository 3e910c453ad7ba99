/* expect: and this is no update with that operator */
double f(int n, double *restrict a)
{
  double least = a[0];
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    least = a[i] > least ? a[i] : least;
  return least;
}
