/* A contraction of tensors of four indices over two of them. */
#include "bodies.h"
NUMBERS(double)

static void contract(int n, double (*restrict c)[n][n][n], double (*restrict a)[n][n][n], double (*restrict b)[n][n][n])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
              c[i][j][k][l] += a[i][p][j][q] * b[p][k][q][l];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n * n * n;
  double *a = numbers_double(all, 1), *b = numbers_double(all, 2), *c = numbers_double(all, 3);
  PASSES(passes, contract(n, (void *)c, (void *)a, (void *)b))
  RESULT(c, all * sizeof *c, 2.0 * all * n * n, 32.0 * all);
}
