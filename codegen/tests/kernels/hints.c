#include "kernel.h"
/* Hints to the compiler beside the region's pragma, and steps by constant names. */
enum { two = 2 };
static void f(int n, double *restrict a, double *restrict b)
{
  const int three = 3;
#pragma GCC ivdep
#pragma dvm region
  for (int i = 0; i < n; i += two)
    a[i] = a[i] * 2 + b[i];
#pragma dvm region
#pragma GCC ivdep
  for (int i = 0; i < n; i += three)
    b[i] = a[i] + b[i];
#pragma ivdep
#pragma omp parallel for
#pragma dvm region tile(8)
#pragma omp simd
#pragma vector always
  for (int i = n - 1; i >= 0; i -= three)
    b[i] = a[i] + b[i];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *a = room(40 * 8), *b = room(40 * 8);
  fill_double(a, 40, 1);
  fill_double(b, 40, 2);
  f(n, a, b);
  show("a", a, 40 * 8);
  show("b", b, 40 * 8);
}
