/* stays sequential: 3 regions, whose unsigned values may wrap around */
#include "kernel.h"
static void work(unsigned long n, unsigned long m, int k, int *restrict a, int *restrict b)
{
  /* These wrap around for sizes that their types allow. */
#pragma dvm region
  for (unsigned long i = 0; i < n; i++)
    a[(i * 1000000007ul + m * 998244353ul) % 10007ul] += 1;
#pragma dvm region
  for (unsigned long i = 0; i < n; i++)
    a[i] += m * 0xffffffffffful / 1000 < i ? 1 : 2;
#pragma dvm region
  for (unsigned long i = 0; i < n; i++)
    a[((i << 20) + (m << 16)) % 8191ul] += 4;
#pragma dvm region
  for (unsigned long i = 1; i < n; i++)
    a[(0ul - i) % 5] += i;
  /* These cannot. */
#pragma dvm region
  for (int i = 0; i < k; i++)
    b[i] += a[((unsigned long)i * 1000000007ul + (unsigned long)k * 998244353ul) % 10007ul];
#pragma dvm region
  for (unsigned long i = 0; i < n; i++)
    b[i] ^= a[(i * 6 + m * 4 + 1) % 10007ul];
}
int main(int argc, char **argv)
{
  unsigned long n = size_argument(argc, argv, 1, 18);
  int *a = room(10100 * sizeof *a);
  fill_int(a, 10100, 1);
  int *b = room(100 * sizeof *b);
  work(n, 987654321987654321ul, (int)n, a, b);
  work(n, 12345678912ul, (int)n, a, b);
  work(n, 7, (int)n, a, b);
  show("b", b, 100 * sizeof *b);
  show("a", a, 10100 * sizeof *a);
}
