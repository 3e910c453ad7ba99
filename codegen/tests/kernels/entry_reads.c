#include "kernel.h"
/* Sizes, factors and arrays behind pointers and inside structs: the values are read once, at entry. */
struct part { int n, m; double scale; double u[24], v[12][14]; };
struct grid { long n; int m; double *a, *b; double (*rows)[16]; struct part *part, inner; };
typedef double *vector;
struct vectors { vector x, y; unsigned short length; };
struct list { int n; double v[]; };
static struct grid *top;
static struct part whole;
static int dims[3][2];
struct { double a[40]; } unnamed;
#define U(i) g->part->u[i]
#define SIZE g->m
static void all(struct grid *g, int m, int *len, double **tables)
{
#pragma dvm region
  for (int i = 0; i < m; i++)
    for (int j = 0; j < g->n; j++)
      g->a[i * 16 + j] = g->b[j] * g->part->scale + i;
#pragma dvm region
  for (int i = 1; i < g->part->n; i++)
    for (int j = 1; j < dims[2][1]; j++)
      g->inner.v[i][j] = g->part->v[i][j - 1] + g->part->v[i - 1][j + 1];
#pragma dvm region
  for (int i = 0; i < *len; i++)
    tables[1][i] = tables[0][i] + top->inner.scale + whole.scale;
#pragma dvm region
  for (int i = 0; i < SIZE; i++)
    U(i) = U(i) * g->inner.scale + g->rows[1][i];
#pragma dvm region
  for (int i = 0; i < m && i < g->m; i++)
    if (i != g->inner.m)
      whole.u[i] = (*g).inner.u[i] + i;
#pragma dvm region
  for (int i = 0; i < m; i++)
    unnamed.a[i] = unnamed.a[i] + m;
}
/* Nothing may be followed that the loops do not follow. */
static void none(struct grid *g, int m, struct part *p, int *len)
{
#pragma dvm region
  for (int i = 0; i < m; i++)
    for (int j = 0; j < g->n; j++)
      g->a[j] += i + g->part->scale;
#pragma dvm region
  for (int i = 0; i < m; i++)
    for (int j = 0; j < *len; j++)
      whole.v[i % 12][j] = i + j + p->u[j];
}
static void list(struct list *s, double *a, struct vectors v)
{
#pragma dvm region
  for (int i = 0; i < s->n; i++)
    a[i] = s->v[i] + a[i];
#pragma dvm region
  for (int i = 0; i < v.length; i++)
    v.x[i] = v.y[i] * 2;
}
/* Copied integers, sizes in assigned scalars. */
static void fortran(int *n, int *m, double *a)
{
  int last, i;
  {
#pragma dvm region
    for (int j = 0; j < *m; j++) {
      last = *n;
      for (int k = 0; k < last; k++)
        a[j * 20 + k] = a[j * 20 + k] + j - k;
    }
  }
#pragma dvm region
  for (i = 0; i < *n; i++)
    a[i] = a[i] + 1;
  show("i", &i, sizeof i);
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11), m = n > 12 ? 12 : n;
  double *d = room(900 * sizeof *d), *e = room(900 * sizeof *e);
  double *tables[2] = { d + 600, e + 300 };
  struct grid grid;
  struct part part;
  memset(&grid, 0, sizeof grid);
  memset(&part, 0, sizeof part);
  fill_double(d, 900, 1);
  fill_double(e, 900, 2);
  fill_double(part.u, 24, 3);
  fill_double(&part.v[0][0], 12 * 14, 4);
  top = &grid;
  grid.n = m;
  grid.m = m;
  grid.a = d;
  grid.b = e;
  grid.rows = (double (*)[16])(e + 100);
  grid.part = &part;
  grid.inner.scale = 0.5;
  grid.inner.m = 3;
  part.n = m;
  part.scale = 2;
  dims[2][1] = m;
  whole.scale = 0.25;
  all(&grid, m, &m, tables);
  grid.b = grid.a + 3; /* shared storage */
  all(&grid, m, &m, tables);
  grid.b = e;
  grid.part = &grid.inner;
  grid.inner.n = m;
  all(&grid, m, &m, tables);
  none(0, 0, 0, 0);
  int zero = 0;
  none(&grid, m, 0, &zero);
  struct list *s = room(sizeof *s + 40 * sizeof *d);
  s->n = m;
  fill_double(s->v, 40, 5);
  struct vectors v = { d + 700, d + 720, (unsigned short)m };
  list(s, e, v);
  list(s, s->v, v);
  fortran(&m, &m, d);
  int at[4] = { 5, 5, 5, 5 };
  fortran(at, at + 1, d);
  show("d", d, 900 * sizeof *d);
  show("e", e, 900 * sizeof *e);
  show("part", &part, sizeof part);
  show("inner", &grid.inner, sizeof grid.inner);
  show("whole", &whole, sizeof whole);
  show("unnamed", &unnamed, sizeof unnamed);
  show("s", s, sizeof *s + 40 * sizeof *d);
}
