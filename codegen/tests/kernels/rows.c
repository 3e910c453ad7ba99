/* stays sequential: 2 regions, whose subscripts always leave their rows */
#include "kernel.h"
/* Subscripts that leave their rows, as old codes have them: the original loops run where they do. */
#define N 40
typedef struct { double v[4]; double after; } cell;
static double x[N + 1][N], space[3][N][4];
static cell cells[N], others[N];
static void before(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < N; j++)
      x[i][j] += x[i][j - 1] * 0.5;
}
static void shifted(int n, int k)
{
#pragma dvm region
  for (int i = 2; i < n; i++)
    for (int j = 0; j < N; j++)
      x[i][j] = x[i - 1][j + k] * 0.5 + 1;
}
static void beyond(int n, int m)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i][j] = x[i - 1][j] * 0.5 + j;
}
static void measured(int n, int m, int width, double (*a)[width + 1])
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j <= m; j++)
      a[i][j] = a[i - 1][j] * 0.5 + j;
}
static void renamed(int n, int m, double (*a)[m])
{
  m *= 2;
#pragma dvm region
  for (int i = 1; i < n / 2; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i - 1][j] * 0.5 + j;
}
static void same(int n, int m, double (*a)[m])
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i - 1][j] * 0.5 + j;
}
static void flat(int n)
{
  double (*p)[4] = space[0];
#pragma dvm region
  for (int j = 0; j < n + 8; j++)
    for (int i = 1; i < 3; i++)
      p[i][j] = p[i - 1][j] + 1;
}
static void planes(int n, int m)
{
#pragma dvm region
  for (int i = 1; i < 3; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        space[i][j][k] = space[i - 1][j][k] * 0.5 + space[i][j][3 - k];
}
static void members(int n, int m)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      cells[i].v[k] += others[i].v[k] + cells[i].after;
}
static void by_row(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++) {
    double *row = x[i];
    for (int j = 0; j < N; j++)
      row[j - 1] = row[j] * 0.25 + i;
  }
}
/* These stay in their rows because of what is asked before. */
static void guarded(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      if (j > 0 && x[i - 1][j - 1] > 0)
        x[i][j] = x[i - 1][j - 1];
      else if (!(j == 0 || x[i][j] < 1))
        x[i][j] = j < n - 1 ? x[i - 1][j + 1] : 3;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  double *a = room(2 * N * N * sizeof *a);
  fill_double(x[0], (N + 1) * N, 1);
  fill_double(space[0][0], 3 * N * 4, 2);
  fill_double(a, 2 * N * N, 3);
  for (int i = 0; i < N; i++) {
    fill_double(cells[i].v, 5, i);
    fill_double(others[i].v, 5, i + N);
  }
  before(n);
  shifted(n, 0);
  shifted(n, -1);
  shifted(n, 1);
  beyond(n, n);
  if (n > 0 && n < N)
    beyond(n, N + 3);
  measured(n, n, n, (void *)a);
  measured(n, n + 3, n, (void *)a);
  if (n > 0) {
    renamed(n, n, (void *)a);
    same(n, n, (void *)a);
  }
  flat(n);
  planes(n, n < 4 ? n : 4);
  planes(n, 2);
  members(n, 3);
  members(n, 4);
  by_row(n);
  guarded(n);
  show("x", x, sizeof x);
  show("space", space, sizeof space);
  show("cells", cells, sizeof cells);
  show("a", a, 2 * N * N * sizeof *a);
}
