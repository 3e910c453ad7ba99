#include "kernel.h"
/* isl 0.25 leaves the condition on `run % 5` out of one branch of the loops over a tile of these. */
static void work(int n, int (*A)[20], int (*B)[n + 12])
{
#pragma dvm region
  for (int run = -1; run <= n; run++)
    for (int extent = run; extent >= 0; extent--) {
      if (extent > 1 && run % 5 < 1) {
        B[run + 3][extent] ^= 1;
      } else {
        int upper = A[1][extent] % 997;
        B[run][extent] = 1 + 0 * upper;
      }
    }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 9);
  if (n > 17)
    n = 17;
  static int A[40][20];
  int *B = malloc(sizeof(int) * (size_t)(n + 6) * (size_t)(n + 12));
  fill_int(&A[0][0], 40 * 20, 1);
  fill_int(B, (long)(n + 6) * (n + 12), 2);
  work(n, A, (int (*)[n + 12])B);
  show("B", B, sizeof(int) * (size_t)(n + 6) * (size_t)(n + 12));
  free(B);
  return 0;
}
