#include "kernel.h"
static void jacobi(int n, int steps, double *restrict a, double *restrict b)
{
  int i, t;
#pragma dvm region
  for (t = 0; t < steps; t++) {
    for (i = 1; i < n - 1; i++)
      b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    for (i = 1; i < n - 1; i++)
      a[i] = b[i];
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 100), steps = size_argument(argc, argv, 2, 20);
  double *a = room(n * sizeof *a), *b = room(n * sizeof *b);
  fill_double(a, n, 1);
  jacobi(n, steps, a, b);
  show("a", a, n * sizeof *a);
  show("b", b, n * sizeof *b);
}
