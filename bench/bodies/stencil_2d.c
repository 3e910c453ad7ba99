/* Ten steps of a stencil of radius 2 in the plane. */
#include "bodies.h"
NUMBERS(double)

static void steps(int n, double (*restrict a)[n], double (*restrict b)[n])
{
#pragma dvm region
  for (int t = 0; t < 5; t++) {
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        b[i][j] = 0.2 * a[i][j] + 0.1 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1])
                  + 0.1 * (a[i - 2][j] + a[i + 2][j] + a[i][j - 2] + a[i][j + 2]);
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        a[i][j] = 0.2 * b[i][j] + 0.1 * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1])
                  + 0.1 * (b[i - 2][j] + b[i + 2][j] + b[i][j - 2] + b[i][j + 2]);
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *a = numbers_double(all, 1), *b = numbers_double(all, 2);
  PASSES(passes, steps(n, (void *)a, (void *)b))
  RESULT(a, all * sizeof *a, 110.0 * all, 16.0 * all);
}
