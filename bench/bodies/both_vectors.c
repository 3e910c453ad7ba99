/* A matrix and its transpose, each times a vector. */
#include "bodies.h"
NUMBERS(double)

static void multiply(int n, double (*restrict a)[n], double *restrict x, double *restrict y, double *restrict u,
                     double *restrict v)
{
#pragma dvm region
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        y[i] += a[i][j] * x[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        v[j] += a[i][j] * u[i];
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *a = numbers_double(all, 1), *x = numbers_double(n, 2), *y = numbers_double(2 * n, 3), *u = numbers_double(n, 4);
  PASSES(passes, multiply(n, (void *)a, x, y, u, y + n))
  RESULT(y, 2 * n * sizeof *y, 4.0 * all, 8.0 * all);
}
