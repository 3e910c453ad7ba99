/* A matrix product by a BLAS: what a library of hand-written kernels reaches. */
#include "bodies.h"
NUMBERS(double)
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  double *a = numbers_double(all, 1), *b = numbers_double(all, 2), *c = numbers_double(all, 3);
  /* 101: row-major; 111: not transposed. */
  PASSES(passes, cblas_dgemm(101, 111, 111, n, n, n, 1, a, n, b, n, 1, c, n))
  RESULT(c, all * sizeof *c, 2.0 * all * n, 32.0 * all);
}
