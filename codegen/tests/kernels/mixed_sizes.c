#include "kernel.h"
#include <stdint.h>
static long steps;
static void work(int8_t small, uint16_t half, long wide, unsigned long uwide, double *restrict a, double *restrict b)
{
  static int calls;
  int64_t i;
#pragma dvm region
  {
    for (int8_t s = 0; s < small; s++)
      a[s] += half - small;
    for (uint16_t h = half; h >= 2; h -= 2)
      b[h - 2] += a[h / 2];
    for (i = -wide; i <= wide; i++)
      a[i + wide] -= b[(i + wide) / 3] * (double)(uwide - 3);
    for (unsigned long u = 0; u + 1 < uwide; u++)
      b[u] = a[u + 1] * (u % 2 ? 1 : -1);
  }
#pragma dvm region
  for (int k = 0; k < small; k++)
    for (int l = small - k; l > 0; l--) {
      a[k + l] = a[k + l] * 0.5 + b[k] / l;
      calls += 1;
    }
  steps = calls;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *a = room((4 * n + 8) * sizeof *a), *b = room((4 * n + 8) * sizeof *b);
  fill_double(a, 4 * n + 8, 1);
  fill_double(b, 4 * n + 8, 2);
  work(n, n, n, n, a, b);
  work(n / 2, n + 1, n, n + 2, a, b);
  show("a", a, (4 * n + 8) * sizeof *a);
  show("b", b, (4 * n + 8) * sizeof *b);
  printf("%ld\n", steps);
}
