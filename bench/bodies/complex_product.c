/* A product of complex matrices, written out: real and imaginary parts lie apart. */
#include "bodies.h"
NUMBERS(double)

static void product(int n, double (*restrict cr)[n], double (*restrict ci)[n], double (*restrict ar)[n],
                    double (*restrict ai)[n], double (*restrict br)[n], double (*restrict bi)[n])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) {
        cr[i][j] += ar[i][k] * br[k][j] - ai[i][k] * bi[k][j];
        ci[i][j] += ar[i][k] * bi[k][j] + ai[i][k] * br[k][j];
      }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *m[6];
  for (int k = 0; k < 6; k++)
    m[k] = numbers_double(all, k + 1);
  PASSES(passes, product(n, (void *)m[0], (void *)m[1], (void *)m[2], (void *)m[3], (void *)m[4], (void *)m[5]))
  RESULT(m[0], all * sizeof(double), 8.0 * all * n, 64.0 * all);
}
