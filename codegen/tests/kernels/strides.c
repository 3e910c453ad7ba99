#include "kernel.h"
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 61);
  long m = n;
  double *restrict a = room((3 * n + 9) * sizeof *a);
  double *restrict b = room((3 * n + 9) * sizeof *b);
  int i, j;
  fill_double(a, n, 1);
  fill_double(b, 3 * n + 9, 2);
#pragma dvm region
  {
    for (i = 0; i < n; i += 2)
      a[i] = b[i] + 1;
    for (i = n - 1; i >= 0; i -= 3)
      a[i] += b[i];
    for (i = 1; i <= n; i = i + 4)
      b[3 * i + 1] = a[i - 1];
    for (i = n; i > 1; --i)
      b[i] = b[i - 1] * 0.5 + a[i - 1];
    for (i = 0; n > i; ++i)
      for (j = i; j != n; j++)
        a[j] += b[i];
    for (i = 0; i + 2 < n && i < 40; i = 3 + i)
      a[i] += a[i + 2];
  }
#pragma dvm region
  for (long p = m - 1; p >= 0; p--)
    for (long q = p; q >= 0 && q > p - 5; q--)
      a[p] += b[q] * (double)(p - q);
  show("a", a, n * sizeof *a);
  show("b", b, (3 * n + 9) * sizeof *b);
}
