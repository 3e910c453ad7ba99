#include "kernel.h"
#define N 24
#define A(i, j) a[(i)][(j) + 1]
#define SQUARE(x) ((x) * (x))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static double a[N][N + 2], b[N][N];
enum { HALF = N / 2 };
/* The comment of the function stays with it. */
static void work(int n)
{
#define WEIGHT 3
#undef SQUARE
#define SQUARE(x) ((x) * (x) + 1)
#ifdef N
#define SHIFT(i) ((i) + 2)
#else
#define SHIFT(i) (i)
#endif
#pragma dvm region
  for (int i = MAX(0, n - 20); i < MIN(n, N - 2); i++)
    for (int j = MAX(1, i - 3); j <= MIN(i + 3, N - 2); ++j) {
      A(i, j) = WEIGHT * SQUARE(b[i][j]) + A(SHIFT(i), j - 1);
      b[SHIFT(i)][j] = A(i, j) / HALF;
    }
#undef WEIGHT
#pragma dvm region
  for (int i = 0; i < N; i++)
    for (int j = 0; j < HALF; j++)
      a[i][j] = SQUARE(a[i][2 * j]) / 1000;
  printf("%d\n", __LINE__);
}
int main(int argc, char **argv)
{
  fill_double(a[0], N * (N + 2), 1);
  fill_double(b[0], N * N, 2);
  work(MIN(size_argument(argc, argv, 1, N), N));
  show("a", a, sizeof a);
  show("b", b, sizeof b);
}
