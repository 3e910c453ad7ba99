#include <stdio.h>
/* Counters whose names are one name for isl, and a parameter that is called as a subscript's variable. */
static int a[40][40], b[80][2];
static void counters(int n)
{
#pragma dvm region
  for (int max = 0; max < n; max++)
    for (int max_ = 0; max_ < n - 3; max_++)
      a[max][max_] += 3 * max + 5 * max_;
#pragma dvm region
  for (int i$ = 0; i$ < n; i$++)
    for (int i_ = i$; i_ < n; i_++)
      a[i$][i_] ^= 7;
}
static void captured(int n, int o0)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2; j++)
      b[i + o0][j] = b[i][j] + i;
}
int main(void)
{
  counters(30);
  for (int shift = 0; shift < 40; shift += 8)
    captured(30, shift);
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      printf("%d %d\n", a[i][j], b[i + j][0] - b[i + j][1] * 2);
}
