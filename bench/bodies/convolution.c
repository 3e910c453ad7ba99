/* A convolution of an image with a kernel whose size only the run knows. */
#include "bodies.h"
NUMBERS(double)

static void convolve(int n, int m, double (*restrict out)[n], double (*restrict in)[n + m], double (*restrict kernel)[m])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < m; p++)
        for (int q = 0; q < m; q++)
          out[i][j] += in[i + p][j + q] * kernel[p][q];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2), m = argc > 3 ? argument(argc, argv, 3) : 7;
  double *in = numbers_double((size_t)n * (n + m) + m * (n + m), 1), *kernel = numbers_double(m * m, 2);
  double *out = numbers_double((size_t)n * n, 3);
  PASSES(passes, convolve(n, m, (void *)out, (void *)in, (void *)kernel))
  RESULT(out, (size_t)n * n * sizeof *out, 2.0 * n * n * m * m, 24.0 * n * n);
}
