/* stays sequential: 2 */
#include "kernel.h"
/* Tables of pointers whose rows are used under conditions that depend on data: rows may be missing, or be anything, where no
   condition holds. */
static double store[64 * 64];
struct picture {
  int w, h;
  double **px;
};
static void masked(int n, int m, double **a, double **b, int **flag)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (flag[i][j] > 0)
        b[i][j] = 2 * a[i][j] + j;
}
static void by_row(int n, int m, double **a, const int *key)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (key[i] > 0)
        a[i][j] = a[i][j] * 3 + key[i];
}
static void chosen(int n, int m, double **a, double **b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m - 1; j++)
      b[i][j] = a[i][j] > 0 && a[i][j + 1] > 0 ? a[i][j] - a[i][j + 1] : a[i][j] * 2;
}
/* How much of a row is used depends on data: refused. */
static void while_positive(int n, int m, double **a, double *s)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m && a[i][j] > -40; j++)
      sum += a[i][j];
    s[i] = sum;
  }
}
static void threshold(struct picture *p, struct picture *q)
{
  double **out = q->px;
#pragma dvm region
  for (int i = 0; i < p->h; i++)
    for (int j = 0; j < p->w; j++)
      if (p->px[i][j] > 0.5)
        out[i][j] = p->px[i][j];
      else
        out[i][j] = -1;
}
/* The row above is read under a condition only: the first row has none. */
static void upwards(int n, int m, double **a, double **b, const int *key)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      b[i][j] = i;
      if (key[i])
        b[i][j] += a[i - 1][j];
    }
}
static void volume(int n, double ***u, double ***r, const int *key)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        if (key[i] > 0 && (j == 0 || key[j] > 0))
          u[i][j][k] += r[i][j][k] + key[j];
}
/* In place: what a row has was written by iterations before. */
static void falling(int n, int m, double **a)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      if (a[i][j] < a[i - 1][j])
        a[i][j] = a[i - 1][j] - a[i][j - 1];
}
/* Which row depends on data: refused. */
static void gathered(int n, int m, double **a, double *s, const int *key)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (key[i] > 0)
        s[i] += a[key[i] % n][j];
}
/* The author knows that the rows are apart: which of them are read may depend on data. */
static void scattered(int n, int m, double **a, double **b, const int *key)
{
#pragma dvm region independent
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int k = key[i];
      a[i][j] = b[k < 0 ? 0 : k % n][j] + (k > 0 ? b[i][(j * k) % m] : 0);
    }
}
static double **table(int n, int m, int seed)
{
  double **rows = room((size_t)(n + 1) * sizeof *rows);
  for (int i = 0; i < n; i++) {
    rows[i] = room((size_t)(m + 1) * 8);
    fill_double(rows[i], m, seed + i);
  }
  return rows;
}
static void tell(const char *name, double **rows, const int *key, int n, int m)
{
  for (int i = 0; i < n; i++)
    if (!key || key[i] > 0)
      show(name, rows[i], (size_t)m * 8);
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11), m = n + 3;
  double **a = table(n, m, 1), **b = table(n, m, 50), *s = room((size_t)(n + 1) * 8);
  int **flag = room((size_t)(n + 1) * sizeof *flag), *key = room((size_t)(n + 1) * sizeof *key);
  double ***u = room((size_t)(n + 1) * sizeof *u), ***r = room((size_t)(n + 1) * sizeof *r);
  struct picture p = { m, n, a }, q = { m, n, b };
  fill_int(key, n, 3);
  if (n)
    key[0] = 0;
  for (int i = 0; i < n; i++) {
    flag[i] = room((size_t)(m + 1) * sizeof(int));
    fill_int(flag[i], m, i + 7);
    u[i] = key[i] > 0 ? table(n, n, i) : i % 2 ? (double **)(size_t)(8 * i) : 0;
    r[i] = key[i] > 0 ? table(n, n, 3 * i) : 0;
    for (int j = 1; j < n && key[i] > 0; j++)
      if (key[j] <= 0)
        u[i][j] = j % 2 ? 0 : (double *)1, r[i][j] = u[i][0];
  }
  masked(n, m, a, b, flag);
  tell("masked", b, 0, n, m);
  masked(n, m, a, a, flag);
  tell("masked itself", a, 0, n, m);
  chosen(n, m, a, b);
  tell("chosen", b, 0, n, m);
  chosen(n, m, a, a);
  tell("chosen from itself", a, 0, n, m);
  while_positive(n, m, a, s);
  show("sums", s, (size_t)n * 8);
  threshold(&p, &q);
  tell("threshold", b, 0, n, m);
  upwards(n, m, a, b, key);
  tell("upwards", b, 0, n, m);
  falling(n, m, a);
  tell("falling", a, 0, n, m);
  gathered(n, m, a, s, key);
  volume(n, u, r, key);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n && key[i] > 0; j++)
      if (j == 0 || key[j] > 0)
        show("volume", u[i][j], (size_t)n * 8);
  scattered(n, m, a, b, key);
  tell("scattered", a, 0, n, m);
  /* Rows that are missing, and one that is no pointer at all. */
  double **c = table(n, m, 9);
  for (int i = 0; i < n; i++)
    if (key[i] <= 0)
      c[i] = i % 3 ? 0 : (double *)~(size_t)15;
  by_row(n, m, c, key);
  tell("by row", c, key, n, m);
  for (int i = 0; i < n; i++)
    if (key[i] <= 0)
      c[i] = 0;
  by_row(n, m, c, key);
  tell("by row", c, key, n, m);
  /* A table that ends before the loops do, and rows that overlap where they are used. */
  int used = 0;
  while (used < n && key[used] <= 0)
    used++;
  for (int i = used + 1; i < n; i++)
    key[i] = -1;
  double **shorter = room((size_t)(used + 1) * sizeof *shorter);
  for (int i = 0; i <= used && used < n; i++)
    shorter[i] = c[i];
  by_row(n, m, shorter, key);
  tell("shorter", shorter, key, used < n ? used + 1 : 0, m);
  for (int i = 0; i < n && n * 3 + m < 64 * 64; i++) {
    key[i] = i + 1;
    a[i] = store + 3 * i;
    b[i] = store + 3 * i + 1;
  }
  fill_double(store, 64 * 64, 5);
  by_row(n, m, a, key);
  masked(n, m, a, b, flag);
  falling(n, m, b);
  show("store", store, sizeof store);
  return 0;
}
