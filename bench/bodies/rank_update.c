/* The upper half of a symmetric matrix, updated by the product of a matrix's transpose with itself. */
#include "bodies.h"
NUMBERS(double)

static void update(int n, double (*restrict c)[n], double (*restrict a)[n])
{
#pragma dvm region
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++)
        c[i][j] += a[k][i] * a[k][j];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *a = numbers_double(all, 1), *c = numbers_double(all, 2);
  PASSES(passes, update(n, (void *)c, (void *)a))
  RESULT(c, all * sizeof *c, 1.0 * all * n, 16.0 * all);
}
