#include "kernel.h"
/* Remainders and quotients of parameters, alone and beside counters, in bounds, conditions and subscripts. */
static void guards(int n, int m, int *restrict b, int (*restrict c)[40])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (m % 3 != 0)
      b[i] += 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (m / 3 * 3 != m)
      b[i] += 2;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (i != m % 5)
      b[i] += 4;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (n % 2 == m % 2)
      b[i] += 8;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (m % 6 < 3)
      b[i] += 16;
#pragma dvm region
  for (int i = 0; i < m; i++)
    for (int j = 0; j < (n - 1) % 4; j += 2)
      c[i][j] += 32;
#pragma dvm region
  for (int t = 0; t < 4; t++)
    for (int i = 1; i < n; i++)
      if (t % 2 != m % 2)
        b[i] += b[i - 1] + t;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 20; j++) {
      if ((m + i) % 4 == n % 4)
        c[i][j] += 64;
      c[i][(j + m) % 7 + n % 3] ^= 5;
    }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (m % 7 == 3)
      b[i] += 3;
    for (int j = m % 3; j < 10 + n % 5; j += 3)
      c[i][j + m / 4 % 3] += j;
  }
}
static void wide(long n, unsigned m, long k, int *restrict b, int *restrict d)
{
#pragma dvm region
  for (long i = 0; i < n; i++) {
    b[i] += k % 4 == 1 ? 5 : 1;
    if (m % 5 == 2)
      d[i / 2] = d[i / 2] * 3 + b[i];
    if (m % 2 != k % 2)
      d[i] += 7;
  }
#pragma dvm region
  for (long i = n - 1; i >= m % 4; i -= 3)
    b[i + k % 3] += d[i - i % 2];
#pragma dvm region
  for (long t = 0; t < 3; t++)
    for (long i = n % 3 + 1; i < n; i++)
      if ((t + k) % 3 != m % 3)
        d[i] += d[i - 1];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 18);
  for (int m = 0; m < 14; m++) {
    int *b = room(60 * sizeof *b), *d = room(60 * sizeof *d), (*c)[40] = room(60 * sizeof *c);
    fill_int(b, 60, 1);
    fill_int(d, 60, 2);
    fill_int(c[0], 60 * 40, 3);
    guards(n, m, b, c);
    wide(n, (unsigned)m, 3 * m + n, b, d);
    show("b", b, 60 * sizeof *b);
    show("c", c, 60 * sizeof *c);
    show("d", d, 60 * sizeof *d);
    free(b), free(c), free(d);
  }
}
