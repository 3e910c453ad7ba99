#include "kernel.h"
/* Sizes and factors whose addresses are known elsewhere: the run compares them with what is written. */
int size, low;
long stride = 1;
double factor;
struct shape { int rows, columns; } shape;
static void set(int *a)
{
#pragma dvm region
  for (int i = low; i < size; i++)
    a[i] = 3 * i + low;
}
static void scale(double *a, double *b)
{
#pragma dvm region
  for (int i = 0; i < size; i++)
    for (int j = 0; j < shape.columns; j++)
      a[i * 7 + j] = factor * b[j] + i;
}
static void step(long *a, int *kept)
{
  int n = 9;
  if (kept)
    *kept = n;
  int *at = &n;
  at += 0;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = stride + n;
  show("n", at, sizeof *at);
}
/* Inner bounds in memory do not depend on data. */
static int dims[3];
static double field[9][9][2], other[9][9][2];
static void add(void)
{
#pragma dvm region
  for (int i = 1; i < dims[0] - 1; i++)
    for (int j = 1; j < dims[1] - 1; j++)
      for (int m = 0; m < dims[2]; m++)
        field[i][j][m] = field[i][j][m] + other[i][j][m];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 19);
  int *a = room((n + 9) * sizeof *a);
  long *l = room(64 * sizeof *l);
  double *d = room((n * 7 + 40) * sizeof *d), *e = room((n * 7 + 40) * sizeof *e);
  size = n;
  low = 2;
  set(a);
  show("a", a, (n + 9) * sizeof *a);
  size = 12;
  low = 0;
  set(&size - 0); /* The first iteration makes the size 0. */
  show("size", &size, sizeof size);
  size = 6;
  shape.columns = 5;
  factor = 1.5;
  fill_double(e, n * 7 + 40, 1);
  scale(d, e);
  show("d", d, (n * 7 + 40) * sizeof *d);
  size = shape.columns = 1;
  scale(&factor, e);
  show("factor", &factor, sizeof factor);
  step(l, a);
  show("l", l, 64 * sizeof *l);
  dims[0] = dims[1] = 9;
  dims[2] = 2;
  fill_double(&field[0][0][0], 162, 2);
  fill_double(&other[0][0][0], 162, 3);
  add();
  dims[1] = 0;
  add();
  show("field", field, sizeof field);
}
