#include "kernel.h"
/* Rows that tables name: together, alternating, backwards, shared, half shared, and rows that lie in a table. */
enum { N = 23, M = 9, KINDS = 9 };
static double pool[10000];
static double *from[N], *to[N], *table[2 * N];

static void smooth(double **a, double **b, int n, int m)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      b[i][j] = 0.5 * a[i - 1][j] + a[i][j - 1] + b[i][j];
}

static void place(int kind, int i)
{
  switch (kind) {
  case 0: from[i] = pool + i * M; to[i] = pool + 2000 + i * M; break;
  case 1: from[i] = pool + 2 * i * M; to[i] = pool + (2 * i + 1) * M; break;
  case 2: from[i] = pool + (N - 1 - i) * M; to[i] = pool + 2000 + (N - 1 - i) * M; break;
  case 3: from[i] = pool + i * M; to[i] = pool + i * M; break;
  case 4: from[i] = pool + i * M; to[i] = pool + i * M + 3; break;
  case 5: from[i] = pool; to[i] = pool + 2000 + i * M; break;
  case 6: from[i] = pool + i * M; to[i] = pool + 2000; break;
  case 7: from[i] = pool + i * M; to[i] = pool + 2000 + i * (M - 2); break;
  default: from[i] = pool + i * M; to[i] = pool + (i + N - 1) * M; break;
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  n = n < N ? n : N;
  fill_double(pool, 10000, 1);
  for (int kind = 0; kind < KINDS; kind++) {
    for (int i = 0; i < N; i++)
      place(kind, i);
    smooth(from, to, n, M);
    show("pool", pool, sizeof pool);
  }
  for (int i = 0; i < N; i++) {
    table[i] = pool + i * M;
    table[N + i] = pool + 3000 + i * M;
  }
  smooth(table, table + N, n, M);
  smooth(table, table + 1, n, M);
  show("pool", pool, sizeof pool);
}
