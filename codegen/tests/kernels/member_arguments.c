#include "kernel.h"
/* Arrays inside of structs as arguments of functions of the file. */
typedef double vec[3];
struct cell {
  double u[4];
  int tag;
  double p;
  double m[2][3];
};
struct atom {
  vec r, f;
  int t;
};
struct grid {
  int n;
  struct cell c[32];
};
static struct grid whole;
static void add(double *u, const double *v, int n)
{
  for (int k = 0; k < n; k++)
    u[k] += 0.5 * v[k];
}
static double sum(const double u[4])
{
  return u[0] + u[1] + u[2] + u[3];
}
static void cross(const vec a, const vec b, vec c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
static double trace(double (*m)[3], int way)
{
  if (way < 0)
    return m[0][0];
  m[1][2] = m[0][way] + m[1][1];
  return m[1][2];
}
static void first(double *u)
{
  *u = *u * 2 + u[3];
}
/* Calls a function that passes its own parameter on. */
static void twice(double *u, const double *v)
{
  add(u, v, 4);
  add(u, v, 2);
}
static void cells(int n, struct cell *restrict a, struct cell *restrict b, double *restrict s)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a[i].u, b[i].u, 4);
#pragma dvm region
  for (int i = 0; i < n; i++)
    s[i] = sum(a[i].u) + a[i].tag;
#pragma dvm region
  for (int i = 0; i < n; i++)
    s[i] = trace(a[i].m, i % 3) + b[i].m[1][0];
#pragma dvm region
  for (int i = 0; i < n; i++) {
    first(a[i].u);
    twice(a[i].u, b[n - 1 - i].u);
  }
}
/* The member of one element from that of another: an order. */
static void along(int n, struct cell *a)
{
#pragma dvm region
  for (int t = 0; t < 3; t++)
    for (int i = 1; i < n; i++)
      add(a[i].u, a[i - 1].u, 4);
}
static void atoms(int n, struct atom *restrict s)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    cross(s[i].r, s[i].f, s[i].f);
    double *const f = s[i].f;
    f[0] += s[i].t;
    f[2] = f[1] + f[0];
  }
}
static void of_struct(struct grid *restrict g, double *restrict s)
{
#pragma dvm region
  for (int i = 0; i < 32; i++) {
    add(g->c[i].u, g->c[31 - i].m[0], 3);
    s[i] = sum(g->c[i].u);
  }
#pragma dvm region
  for (int i = 0; i < 31; i++)
    add(whole.c[i].u, g->c[i + 1].u, 4);
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11);
  struct cell *a = room((size_t)(n + 1) * sizeof *a), *b = room((size_t)(n + 1) * sizeof *b);
  struct atom *s = room((size_t)(n + 1) * sizeof *s);
  double *t = room((size_t)(n + 40) * 8);
  struct grid *g = room(sizeof *g);
  for (int i = 0; i < n; i++) {
    fill_double(a[i].u, 4, i);
    fill_double(b[i].u, 4, 2 * i);
    fill_double(a[i].m[0], 6, 3 * i);
    fill_double(b[i].m[0], 6, 5 * i);
    fill_double(s[i].r, 3, i + 2);
    fill_double(s[i].f, 3, i + 4);
    a[i].tag = s[i].t = i;
  }
  for (int i = 0; i < 32; i++) {
    fill_double(g->c[i].u, 4, i + 1);
    fill_double(g->c[i].m[0], 6, i + 3);
    fill_double(whole.c[i].u, 4, i + n);
  }
  cells(n, a, b, t);
  show("a", a, (size_t)n * sizeof *a);
  show("s", t, (size_t)n * 8);
  along(n, a);
  show("a", a, (size_t)n * sizeof *a);
  atoms(n, s);
  for (int i = 0; i < n; i++)
    show("atom", s + i, sizeof s->r + sizeof s->f);
  of_struct(g, t);
  show("g", g, sizeof *g);
  show("whole", &whole, sizeof whole);
  show("s", t, 32 * 8);
  return 0;
}
