#include "kernel.h"
/* A scheduler that shifts the second statement by the limit of int makes a box of billions of tiles: this never ended. */
static long seen[24][24];
static void work(int n, double *restrict b)
{
#pragma dvm region
  for (int i = n; i > 1; i--) {
    if (2 < i) {
      for (int k = 0; n > k; k -= -2u)
        seen[i][k] = b[k] > 1;
    } else {
      b[i] += (double)(seen[i + 2][i] % 128);
    }
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 18);
  double *b = room(90 * sizeof *b);
  for (int k = 0; k < 90; k++)
    b[k] = k % 3;
  for (int size = 0; size <= 18 && size <= n; size += 3)
    work(size, b);
  show("b", b, 90 * sizeof *b);
  show("seen", seen, sizeof seen);
}
