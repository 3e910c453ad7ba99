/* The original loops end where they have overwritten their bound: their headers, run again, count to the new one. */
#include <stdio.h>
static int clear(int *a, const int *ends)
{
  int i;
#pragma dvm region
  for (i = 0; i < ends[1]; i++)
    a[i] = 3;
  return i;
}
int main(void)
{
  static int a[40], ends[2] = { 0, 30 };
  int first = clear(a, ends);
  a[5] = 20;
  printf("%d %d\n", first, clear(a, a + 4));
}
