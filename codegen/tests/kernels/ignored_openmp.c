#include "kernel.h"
/* OpenMP's pragmas inside regions, where the compiler ignores them: OpenMP is off. */
static void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
#pragma omp simd
    for (int j = 0; j < 3; j++)
      a[i] += j;
    if (a[i] > 2) {
#pragma omp parallel for
      for (int j = 0; j < 4; j++)
        b[i] += a[i];
    }
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *a = room(40 * 8), *b = room(40 * 8);
  fill_double(a, 40, 1);
  f(n, a, b);
  show("a", a, 40 * 8);
  show("b", b, 40 * 8);
}
