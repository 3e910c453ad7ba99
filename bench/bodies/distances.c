/* The squared distances of all pairs of points, whose coordinates lie together. */
#include "bodies.h"
NUMBERS(double)

static void distances(int n, double (*restrict d)[n], double (*restrict x)[32], double (*restrict y)[32])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < 32; k++)
        sum += (x[i][k] - y[j][k]) * (x[i][k] - y[j][k]);
      d[i][j] = sum;
    }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  double *x = numbers_double((size_t)n * 32, 1), *y = numbers_double((size_t)n * 32, 2);
  double *d = room((size_t)n * n * sizeof *d);
  PASSES(passes, distances(n, (void *)d, (void *)x, (void *)y))
  RESULT(d, (size_t)n * n * sizeof *d, 96.0 * n * n, 8.0 * n * n);
}
