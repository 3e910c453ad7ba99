/* A reduction over a range whose end the region overwrites: its tiles, which know the end at entry, are wrong in any order. */
#include <stdio.h>
static int table[40];
static int sum(int *a, const int *ends)
{
  int all = 0;
#pragma dvm region reduction(+:all)
  for (int i = 0; i < ends[1]; i++) {
    all += table[i];
    a[i + 4] = 9;
  }
  return all;
}
int main(void)
{
  static int a[40], ends[2] = { 0, 20 };
  for (int i = 0; i < 40; i++)
    table[i] = i;
  a[6] = 12;
  int first = sum(a + 10, ends);
  printf("%d %d\n", first, sum(a, a + 5));
}
