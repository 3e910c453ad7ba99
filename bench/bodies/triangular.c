/* A triangular system with many right-hand sides. */
#include "bodies.h"
NUMBERS(double)

static void solve(int n, double (*restrict b)[n], double (*restrict l)[n])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < i; k++)
        b[i][j] -= l[i][k] * b[k][j];
      b[i][j] /= l[i][i];
    }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *l = numbers_double(all, 1), *b = numbers_double(all, 2);
  for (int i = 0; i < n; i++)
    l[(size_t)i * n + i] = n;
  PASSES(passes, solve(n, (void *)b, (void *)l))
  RESULT(b, all * sizeof *b, 1.0 * all * n, 20.0 * all);
}
