/* A test of all values that some iterations leave out: without any update its number is kept. */
#include <stdio.h>
static int all(const int *a, int n)
{
  int good = 4;
#pragma dvm region reduction(&&:good)
  for (int i = 0; i < n; i++)
    if (a[i] > 100)
      good = good && a[i] < 200;
  return good;
}
int main(void)
{
  static int a[4000];
  printf("%d\n", all(a, 4000));
}
