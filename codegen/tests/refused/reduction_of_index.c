/* expect: and this is no update with that operator */
int f(int n, double *restrict a)
{
  double least = a[0];
  int at = 0;
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    if (a[i] < least) {
      least = a[i];
      at = i;
    }
  return at;
}
