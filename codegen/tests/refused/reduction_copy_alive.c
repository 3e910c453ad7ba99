/* expect: and this is no update with that operator */
double f(int n, double *restrict a)
{
  double least = a[0], t = 0;
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++) {
    t = least;
    least = a[i] < t ? a[i] : t;
  }
  return least + t;
}
