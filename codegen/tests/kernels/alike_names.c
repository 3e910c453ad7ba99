#include "kernel.h"
/* Names that isl reads as one, or that the tool gives to something of its own. */
static void work(int n, int o0, int S1, int e0, int (*restrict a)[32], int (*restrict S0)[32])
{
#pragma dvm region
  for (int max = 0; max < n; max++)
    for (int max_ = 0; max_ < 5; max_++)
      a[max_][max] += S0[max][max_] + 1;
#pragma dvm region
  for (int i$ = 0; i$ < n; i$++)
    for (int i_ = 0; i_ < 5; i_++)
      a[i_][i$] = a[i_][i$] * 3 + i_ - 2 * i$;
#pragma dvm region
  for (int é = 0; é < n; é++)
    for (int ü = 0; ü < 6; ü++)
      for (int _ = 0; _ < 2; _++)
        a[ü][é + _] += S0[é][ü] - _;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 2; k++)
        a[i][i % 2 ? o0 : j + k] += S0[S1 + (i < 3 ? 1 : 2)][e0 + j % 3] + k;
#pragma dvm region
  for (int o1 = 0; o1 < n; o1++)
    for (int x = 0; x < 4; x++)
      for (int p0 = 0; p0 < 2; p0++)
        a[x][(o1 > 2 ? o1 : o1 + 0) + e0] += o0 * x + S0[o1][p0];
#pragma dvm region
  for (int min = 0; min < n; min++)
    for (int Min = 0; Min < ((o0 + 9) * n & 7); Min++)
      a[min][Min] += S1;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 18) % 28;
  int (*a)[32] = room(64 * sizeof *a), (*b)[32] = room(64 * sizeof *b);
  fill_int(a[0], 32 * 32, 1);
  fill_int(b[0], 32 * 32, 2);
  for (int m = 0; m < 3; m++)
    work(n, m + 4, m, 3 - m, a, b);
  show("a", a, 64 * sizeof *a);
}
