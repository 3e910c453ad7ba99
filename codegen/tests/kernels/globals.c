#include "kernel.h"
enum { TOP = 40 };
static int n, count;
double grid[TOP][TOP];
static float line[TOP];
const int shift = 2;
static void step(void)
{
  static double kept[TOP];
  int i, j;
#pragma dvm region
  for (i = shift; i < n; i++) {
    for (j = 0; j < n; j++)
      grid[i][j] = grid[i - shift][j] * 0.5 + line[j];
    kept[i] += grid[i][i];
    line[i] = kept[i];
    count += 1;
  }
  show("kept", kept, sizeof kept);
}
int main(int argc, char **argv)
{
  n = size_argument(argc, argv, 1, 37);
  if (n > TOP) n = TOP;
  fill_double(grid[0], TOP * TOP, 3);
  for (int k = 0; k < 3; k++)
    step();
  show("grid", grid, sizeof grid);
  show("line", line, sizeof line);
  printf("%d\n", count);
}
