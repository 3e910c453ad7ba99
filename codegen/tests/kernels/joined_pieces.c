#include "kernel.h"
/* isl 0.25 joins `n <= 4` and `n % 5 != 0` to a set without a condition. The sizes go through multiples of the numbers. */
static void work(int n, int (*A)[40], int (*B)[40])
{
#pragma dvm region
  for (int i = 0; i <= n; i++)
    if (n % 5 != 0 || n <= 4)
      A[i][i] ^= 1;
#pragma dvm region
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= i; j++)
      if (i <= 2 || i % 3 > 0)
        B[i][j] = A[j][i] + 2 * B[i][j];
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (n < 2 || (n - 1) % 4 != 2 || j > 30)
        A[i][j] += i - j;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 10);
  static int A[40][40], B[40][40];
  fill_int(&A[0][0], 40 * 40, 1);
  fill_int(&B[0][0], 40 * 40, 2);
  for (int size = 0; size < 12; size++)
    work((n + size) % 36, A, B);
  show("A", A, sizeof A);
  show("B", B, sizeof B);
  return 0;
}
