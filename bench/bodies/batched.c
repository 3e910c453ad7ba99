/* Many products of small matrices, 12 x 12. */
#include "bodies.h"
NUMBERS(double)

static void products(int n, double (*restrict c)[12][12], double (*restrict a)[12][12], double (*restrict b)[12][12])
{
#pragma dvm region
  for (int s = 0; s < n; s++)
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++)
        for (int k = 0; k < 12; k++)
          c[s][i][j] += a[s][i][k] * b[s][k][j];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * 144;
  double *a = numbers_double(all, 1), *b = numbers_double(all, 2), *c = numbers_double(all, 3);
  PASSES(passes, products(n, (void *)c, (void *)a, (void *)b))
  RESULT(c, all * sizeof *c, 24.0 * all, 32.0 * all);
}
