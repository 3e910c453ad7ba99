#include "kernel.h"
static void shift(int n, double *a, double *b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = b[i] * 2 + 1;
}
static void arithmetic(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    *(a + i) = b[i] + *b;
    *(i + a) += (b + 1)[i];
    i[a] -= (&b[2])[i];
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 50);
  double *a = room((2 * n + 20) * sizeof *a), *b = room((n + 20) * sizeof *b);
  fill_double(a, 2 * n + 20, 1);
  fill_double(b, n + 20, 2);
  shift(n, a, b);
  shift(n, a, a + 3);
  shift(n, a + 5, a);
  shift(n, a + n, a);
  shift(n, a, a);
  arithmetic(n, a, b);
  show("a", a, (2 * n + 20) * sizeof *a);
}
