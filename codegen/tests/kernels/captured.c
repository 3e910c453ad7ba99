#include "kernel.h"
struct shape { int rows, columns; };
static void run(const struct shape *s, struct shape local, const int *dims, int n, int m, double *restrict a, double *restrict b)
{
  int odd[3] = { 1, 3, 5 };
#pragma dvm region
  for (int i = 0; i < s->rows; i++)
    a[i] += i;
#pragma dvm region
  for (int i = 0; i < dims[1]; i++)
    for (int j = 0; j < local.columns; j++)
      b[j] += a[i];
#pragma dvm region
  for (int i = 0; i < n * m; i++)
    a[i] -= b[i % 7];
#pragma dvm region
  {
    for (int i = 0; i < n / 2; i++)
      a[i] = a[n - 1 - i];
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
      b[i] += i;
    for (int i = -n / 3; i < (n + 1) / 3; i++)
      b[i + n] += 1;
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 19);
  struct shape s = { n, n / 2 };
  int dims[2] = { 1, n };
  long length = 5 * n + 40;
  double *a = room(length * sizeof *a), *b = room(length * sizeof *b);
  fill_double(a, length, 1);
  fill_double(b, length, 2);
  run(&s, s, dims, n, 3, a, b);
  show("a", a, length * sizeof *a);
  show("b", b, length * sizeof *b);
}
