/* expect: and this is no update with that operator */
#include <math.h>
double f(int n, float *restrict a)
{
  double least = 0.1;
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    least = fminf(least, a[i]);
  return least;
}
