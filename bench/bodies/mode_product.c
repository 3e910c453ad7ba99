/* A tensor times a matrix along its second index, by a scalar. */
#include "bodies.h"
NUMBERS(double)

static void multiply(int n, double (*restrict out)[n][n], double (*restrict in)[n][n], double (*restrict m)[n])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int p = 0; p < n; p++)
      for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
          sum += m[p][j] * in[i][j][k];
        out[i][p][k] = sum;
      }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n * n;
  double *in = numbers_double(all, 1), *m = numbers_double((size_t)n * n, 2), *out = numbers_double(all, 3);
  PASSES(passes, multiply(n, (void *)out, (void *)in, (void *)m))
  RESULT(out, all * sizeof *out, 2.0 * all * n, 24.0 * all);
}
