/* A step of a stencil of radius 2 in space. */
#include "bodies.h"
NUMBERS(double)

static void step(int n, double (*restrict b)[n][n], double (*restrict a)[n][n])
{
#pragma dvm region
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++)
      for (int k = 2; k < n - 2; k++)
        b[i][j][k] = 0.4 * a[i][j][k]
                     + 0.1 * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] + a[i][j][k - 1] + a[i][j][k + 1])
                     - 0.01 * (a[i - 2][j][k] + a[i + 2][j][k] + a[i][j - 2][k] + a[i][j + 2][k] + a[i][j][k - 2] + a[i][j][k + 2]);
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n * n;
  double *a = numbers_double(all, 1), *b = numbers_double(all, 2);
  PASSES(passes, step(n, (void *)b, (void *)a))
  RESULT(b, all * sizeof *b, 15.0 * all, 24.0 * all);
}
