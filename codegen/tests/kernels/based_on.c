#include "kernel.h"
/* Pointers that are based on a restrict parameter may lead to its elements. */
typedef struct { double *x; int n; } view;
typedef struct { double *restrict x; } promise;
static void next(int n, double *restrict p)
{
  double *q = p + 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = p[i] * 0.5 + 1;
}
static void rows(int n, int m, double (*restrict A)[m])
{
  double (*B)[m] = A + 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[i][j] += A[i][j] * 0.25;
}
static void last(int n, double *restrict p)
{
  double *end = &p[n - 1];
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i] = end[-i] + 0.5 * i;
}
static void left(int n, double *restrict u, double *restrict v)
{
  double *l = u;
#pragma dvm region
  for (int i = 1; i < n; i++)
    u[i] = l[i - 1] * 0.5 + v[i];
}
static void member(int n, double *restrict p)
{
  view s = { p, n };
  double *restrict q = s.x;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i + 1] = p[i] - 1;
}
static void moved(int n, double *restrict p, double *restrict q)
{
  if (n > 2)
    q = p + 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = p[i] * 0.5 + 1;
}
static void promised(int n, promise *s, double *t)
{
  double *restrict q = s->x;
#pragma dvm region
  for (int i = 0; i < n; i++)
    t[i + 1] = q[i] + 3;
}
static void stepped(int n, double *restrict p, double *restrict q)
{
  double *const r = q + 0;
  q++;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = p[i] + r[i] * 0.125;
}
static double *restrict global;
static void at_file_scope(int n, double *p)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    global[i + 2] = p[i] * 0.5;
}
static void behind_cast(int n, double *restrict p)
{
  float *f = (float *)(p + 40);
  char *bytes = (char *)p;
  double *q = (double *)(bytes + sizeof(double));
#pragma dvm region
  for (int i = 0; i < n; i++) {
    q[i] = p[i] + 1;
    f[i] = i;
  }
}
static void swapped(int n, int turns, double *restrict a, double *restrict b)
{
  for (int t = 0; t < turns; t++) {
#pragma dvm region
    for (int i = 1; i < n; i++)
      b[i] = a[i] + a[i - 1];
    double *c = a;
    a = b, b = c;
  }
}
/* These are what the promise is for. */
static double table[80];
static void believed(int n, double *restrict p, const double *restrict q)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i] = q[i] + table[i];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 40);
  double *a = room(200 * sizeof *a), *b = room(200 * sizeof *b);
  double (*m)[7] = room(60 * sizeof *m);
  fill_double(a, 200, 1);
  fill_double(b, 200, 2);
  fill_double(m[0], 350, 3);
  fill_double(table, 80, 4);
  next(n, a);
  rows(n, 7, m);
  if (n > 0)
    last(n, a);
  left(n, a, b);
  member(n, a);
  moved(n, a, b);
  promised(n, &(promise){ a }, a);
  stepped(n, a, b);
  global = a;
  at_file_scope(n, a);
  behind_cast(n, a);
  swapped(n, 3, a, b);
  believed(n, a, b);
  show("a", a, 200 * sizeof *a);
  show("b", b, 200 * sizeof *b);
  show("m", m, 50 * sizeof *m);
}
