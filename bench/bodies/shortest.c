/* The shortest ways of two steps: a product in which sums are minima and products are sums. */
#include "bodies.h"
NUMBERS(double)

static void shortest(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i][j] = a[i][k] + b[k][j] < c[i][j] ? a[i][k] + b[k][j] : c[i][j];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *a = numbers_double(all, 1), *b = numbers_double(all, 2), *c = numbers_double(all, 3);
  PASSES(passes, shortest(n, (void *)c, (void *)a, (void *)b))
  RESULT(c, all * sizeof *c, 2.0 * all * n, 32.0 * all);
}
