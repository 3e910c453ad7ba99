#include "kernel.h"
/* Names that the generated functions would like to have. */
static double context[40], tile[40][40];
__attribute__((noinline)) static void run(int size, int first, int last, int carried, double *tiles, double *x, int x_begin, int x_end)
{
#pragma dvm region
  for (int i = first; i < size; i++)
    for (int j = x_begin; j < x_end && j < last; j++)
      tile[i][j % 2] += tiles[j] + x[i] * carried + context[i];
#pragma dvm region
  for (int i = x_begin; i < x_end; i++)
    x[i] += tiles[size - 1 - i] * carried;
}
__attribute__((noinline)) static void more(int lowest, int highest, double *restrict tiles)
{
  int graph = 2, extent = 4, single = 5, code = 6, lower = 1, upper = highest, name = 3, point = 2, self = 1;
#pragma dvm region
  for (int i = lower; i < upper; i++)
    for (int last0 = lowest; last0 < highest; last0++)
      tile[i][last0] += tiles[i] * graph + extent - single + code + name * point + self;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 19);
  double *a = room(40 * sizeof *a), *b = room(40 * sizeof *b);
  fill_double(a, 40, 1);
  fill_double(b, 40, 2);
  fill_double(context, 40, 3);
  run(n, 0, n, 2, a, b, 0, n);
  more(0, n, a);
  show("b", b, 40 * sizeof *b);
  show("tile", tile, sizeof tile);
}
