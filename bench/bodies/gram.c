/* The Gram matrix of every second column of a matrix. */
#include "bodies.h"
NUMBERS(double)

static void gram(int n, double (*restrict g)[n], double (*restrict x)[2 * n])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        g[i][j] += x[k][2 * i] * x[k][2 * j];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *x = numbers_double(2 * all, 1), *g = numbers_double(all, 2);
  PASSES(passes, gram(n, (void *)g, (void *)x))
  RESULT(g, all * sizeof *g, 2.0 * all * n, 32.0 * all);
}
