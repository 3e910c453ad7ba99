#include "kernel.h"
static void smooth(size_t n, const double *restrict a, double *restrict b)
{
  size_t i;
#pragma dvm region
  for (i = 1; i < n - 1; i++)
    b[i] = a[i - 1] + a[i] * 2 + a[i + 1];
}
static void down(unsigned n, double *restrict a, double *restrict b)
{
#pragma dvm region
  {
    for (unsigned i = n; i > 0; i--)
      a[i - 1] += b[i - 1];
    for (unsigned i = 0; i != n; ++i)
      b[i] = a[i] - i;
    for (unsigned short s = 0; s < 20; s++)
      b[0] += s;
  }
}
static void mixed(int n, unsigned m, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < m; i++)
    if (i < n)
      a[i] += n - m;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 57);
  double *a = room(n * sizeof *a), *b = room((n + 1) * sizeof *b);
  fill_double(a, n, 1);
  if (n > 0) smooth(n, a, b);
  show("b", b, n * sizeof *b);
  down(n, a, b);
  mixed(n, n, a);
  mixed(n - 1, n, a);
  show("a", a, n * sizeof *a);
  show("b", b, (n + 1) * sizeof *b);
}
