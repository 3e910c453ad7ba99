#include "kernel.h"
#include <math.h>
/* Static variables of the file of which each iteration has its own. */
#define N 64
static double t1, t2, a[N][N], b[N][N];
static int at[3];

static void jacobians(int n)
{
#pragma dvm region private(t1, t2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t1 = 1.0 / (a[i][j] * a[i][j] + 1);
      t2 = t1 * t1 + fabs(a[i][j]);
      b[i][j] = t1 + t2 * b[i][j];
      if (t2 > 1)
        a[i][j] = t2;
    }
}

static void places(int n)
{
#pragma dvm region private(at)
  for (int i = 0; i < n; i++) {
    at[0] = i;
    at[1] = n - 1 - i;
    at[2] = 3;
    b[i][0] += a[at[0]][at[2]] - a[at[1]][0];
  }
}

static double reads(void)
{
  t1 = 3;
  return t1 + t2 * 0;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  fill_double(a[0], N * N, 1);
  fill_double(b[0], N * N, 2);
  jacobians(n);
  places(n);
  t2 = 0;
  printf("%g\n", reads());
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  return 0;
}
