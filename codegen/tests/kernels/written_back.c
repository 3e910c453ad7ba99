#include "kernel.h"
/* Captured expressions are written back with the meaning that they have in the text. */
#define MINUS -
struct sizes {
  int rows, columns;
};
static void work(int n, int m, struct sizes s, const int *restrict v, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < - -n * m; i++)
    a[i] += 1;
#pragma dvm region
  for (int i = 0; i < MINUS(-n) * m; i++)
    a[i] += 2;
#pragma dvm region
  for (int i = 0; i < -(-n & 15); i++)
    a[i + 1] += 4;
#pragma dvm region
  for (int i = 0; i < (~-n & 15) + (- -m ^ 1); i++)
    a[i] += 8;
#pragma dvm region
  for (int i = 0; i < (n - (m - s.rows)) * (s.columns - -n); i++)
    a[i] += 16;
#pragma dvm region
  for (int i = 0; i < n * -(-(-(-m))) - (-s.columns) * m; i++)
    a[i] += 32;
#pragma dvm region
  for (int i = 0; i < (int)-(short)-n * m + (int)sizeof(s) - (8 >> 1) * ('\xff' + 2); i++)
    a[i] += 64;
#pragma dvm region
  for (int i = 0; i < (n | m) % 16 / (3 - 1) * (v[n - -1] + v[- -m & 3]); i++)
    a[i] += 128;
  a[0] += n;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 18), v[64];
  for (int k = 0; k < 64; k++)
    v[k] = k % 5;
  int *a = room(4000 * sizeof *a);
  fill_int(a, 4000, 1);
  for (int m = 0; m < 9; m++) {
    struct sizes s = {m + 1, 3};
    work(n, m, s, v, a);
  }
  show("a", a, 4000 * sizeof *a);
}
