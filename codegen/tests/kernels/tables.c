/* stays sequential: 3 */
#include "kernel.h"
/* Arrays that are reached through tables of pointers: rows that are apart, also by other names, and rows that are not. */
typedef double *row_t;
struct cell { double x, y; };
static double *fixed[24];
static double store[64 * 64];
static void scale(int n, int m, double **a, const double *const *b, double *c)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i][j] * 2 + b[i][j] + c[j];
#pragma dvm region
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
}
static void sums(int n, int m, row_t *restrict a, double *restrict s)
{
  int j;
#pragma dvm region
  for (j = 0; j < m; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += a[i][j] * *(*(a + i) + m - 1 - j);
    s[j] = sum;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double *row = a[i], *last = a[n - 1 - i];
    for (int k = 0; k < m; k++)
      s[i * m + k] = row[k] - last[k];
  }
}
static void volume(int n, double ***u, double ***r)
{
  int i3, i2, i1;
#pragma dvm region
  for (i3 = 1; i3 < n - 1; i3++)
    for (i2 = 1; i2 < n - 1; i2++)
      for (i1 = 1; i1 < n - 1; i1++)
        u[i3][i2][i1] = u[i3][i2][i1] + r[i3][i2][i1 - 1] + r[i3 - 1][i2][i1] + r[i3][i2 + 1][i1] + r[i3 + 1][i2 - 1][i1];
#pragma dvm region
  for (i2 = 0; i2 < n; i2++)
    for (i1 = 0; i1 < n; i1++) {
      u[0][i2][i1] = u[n - 2][i2][i1];
      u[n - 1][i2][i1] = u[1][i2][i1];
    }
}
/* Only every second table, and a triangle of it, is there. */
static void gaps(int n, double ***u, double **t)
{
#pragma dvm region
  for (int i = 0; 2 * i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < n; k++)
        u[2 * i][j][k] += t[j][0] + k;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      t[i][j] = t[i][j] * 3 + i - j;
}
static void of_file(int n, struct cell **c)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      fixed[i][j] = fixed[i][j] + c[j][i].x;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      (*c[i]).y += c[i]->x + j;
}
static void factor(int n, double **a)
{
  for (int j = 0; j < n; j++) {
#pragma dvm region
    for (int i = j + 1; i < n; i++)
      for (int k = j + 1; k < n; k++)
        a[i][k] -= a[i][j] * a[j][k] / 64;
  }
}
static void refused(int n, double **a, double *const *b, int *key, double ****q)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (key[i] > 1000)
        a[i][j] = 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[key[i] & 1][j] = i;
#pragma dvm region
  for (int i = 0; i < n / 2; i++) {
    double *row = a[i];
    a[i] = a[n - 1 - i];
    a[n - 1 - i] = row;
  }
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = b[i];
  if (n > 1000)
    q[0][0][0][0] = 1;
}
static double **table(int n, int m, int seed, int order)
{
  double **rows = room((size_t)n * sizeof *rows);
  for (int k = 0; k < n; k++) {
    int i = order == 1 ? n - 1 - k : order == 2 ? (k * 7 + 3) % n : k;
    while (rows[i])
      i = (i + 1) % n;
    rows[i] = room((size_t)m * 8);
    fill_double(rows[i], m, seed + i);
  }
  return rows;
}
static void tell(const char *name, double **rows, int n, int m)
{
  for (int i = 0; i < n; i++)
    show(name, rows[i], (size_t)m * 8);
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11), big = n > 24 ? 24 : n, m = big + 2, key[64] = { 0 };
  double *s = room(64 * 64 * 8), *c = room(64 * 8);
  fill_double(s, 4096, 1);
  fill_double(c, 64, 2);
  for (int order = 0; order < 3; order++) {
    double **a = table(big, m, 3, order), **b = table(big, m, 4, 2 - order);
    scale(big, m, a, (const double *const *)b, c);
    tell("a", a, big, m);
    /* The same rows by another name; a row twice; rows that overlap; a row that holds `c`. */
    scale(big, m, a, (const double *const *)a, c);
    tell("a", a, big, m);
    sums(big, m, a, s);
    show("s", s, 4096 * 8);
    if (big > 3) {
      double *kept = a[2];
      a[2] = a[0];
      scale(big, m, a, (const double *const *)b, c);
      a[2] = a[1] + 1;
      scale(big, m, a, (const double *const *)b, c);
      a[2] = c;
      scale(big, m - 2, a, (const double *const *)b, c);
      a[2] = kept;
      scale(big, m, a, (const double *const *)b, a[1]);
      sums(big, m, a, a[big - 1] - (big - 1) * m > 0 ? s : s);
      tell("a", a, big, m);
      b[1] = b[0] + 2;
      scale(big, m - 2, a, (const double *const *)b, c);
      tell("a", a, big, m);
      b[1] = b[0];
    }
    factor(big, a);
    tell("a", a, big, m);
    refused(big, a, b, key, 0);
  }
  double **rows = room((size_t)(n + 1) * sizeof *rows), ***u = room((size_t)(n + 1) * sizeof *u);
  double ***r = room((size_t)(n + 1) * sizeof *r), ***g = room((size_t)(n + 1) * sizeof *g);
  /* A triangle: row `i` has `i + 1` elements. */
  for (int i = 0; i < n; i++) {
    rows[i] = i % 2 ? store + 32 * i : room((size_t)(i + 1) * 8);
    u[i] = table(n, n, 10 + i, i % 3);
    r[i] = table(n, n, 90 + i, i % 2);
    g[i] = i % 2 ? (double **)1 : table(i / 2 + 1, n, 5 + i, 0);
  }
  if (n > 1)
    volume(n, u, r);
  for (int i = 0; i < n; i++)
    tell("u", u[i], n, n);
  gaps(n, g, rows);
  for (int i = 0; i < n; i += 2)
    tell("g", g[i], i / 2 + 1, n);
  if (n > 1)
    volume(n, u, u);
  if (n > 4) {
    /* Two planes with one table, and a plane whose table lies where rows are written. */
    double **plane = u[3];
    u[3] = u[2];
    volume(n, u, r);
    u[3] = plane;
    r[2][1] = u[2][2];
    volume(n, u, r);
  }
  for (int i = 0; i < n; i++)
    tell("u", u[i], n, n);
  struct cell **cells = room((size_t)(n + 1) * sizeof *cells);
  for (int i = 0; i < big; i++) {
    fixed[i] = store + 48 * (big - i);
    cells[i] = (struct cell *)(store + 2048 + 48 * i);
  }
  for (int way = 0; way < 3; way++) {
    if (way == 1 && big > 2)
      fixed[1] = fixed[0] + 1;
    if (way == 2 && big > 2)
      cells[2] = cells[1];
    of_file(big, cells);
    show("store", store, sizeof store);
  }
}
