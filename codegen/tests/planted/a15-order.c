/* A least value by comparisons that order the numbers in another way than its type. */
#include <stdio.h>
static int least(const unsigned *a, int n)
{
  int best = -1;
#pragma dvm region reduction(min:best)
  for (int i = 0; i < n; i++)
    if (a[i] < best)
      best = a[i];
  return best;
}
int main(void)
{
  static unsigned a[4000];
  for (int i = 0; i < 4000; i++)
    a[i] = 9 + i % 7;
  printf("%d\n", least(a, 4000));
}
