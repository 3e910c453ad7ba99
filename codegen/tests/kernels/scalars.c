/* stays sequential: 3 regions, whose every loop waits for the one before. */
#include "kernel.h"
static double total;
static double dot(int n, const double *x, const double *y)
{
  double sum = 0, last = -1;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
    last = x[i];
  }
  return sum + last;
}
static void rows(int n, double (*restrict a)[n], double *restrict y)
{
  double s, t;
  int i, j;
#pragma dvm region
  {
    for (i = 0; i < n; i++) {
      s = 0;
      for (j = 0; j < n; j++)
        s += a[i][j];
      y[i] = s;
    }
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        t = a[i][j] * 2;
        a[i][j] = t * t + y[i];
      }
    for (i = 0; i < n; i++) {
      total += y[i];
      y[i] = total;
    }
  }
}
static double carried(int n, double *restrict a)
{
  double before = 1;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double here = a[i];
    a[i] = here - before;
    before = here;
  }
  return before;
}
static double maximum(int n, double *restrict a)
{
  double most = -1e9;
  int at = -1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (a[i] > most) {
      most = a[i];
      at = i;
    }
  return most * 1000 + at;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 27);
  double *x = room(n * sizeof *x), *y = room(n * sizeof *y);
  double (*a)[n] = room(n * sizeof *a);
  fill_double(x, n, 1);
  fill_double(y, n, 2);
  if (n > 0) fill_double(a[0], (long)n * n, 3);
  double d = dot(n, x, y), c = carried(n, x);
  rows(n, a, y);
  double m = maximum(n, y);
  show("d", &d, sizeof d);
  show("c", &c, sizeof c);
  show("m", &m, sizeof m);
  show("total", &total, sizeof total);
  show("x", x, n * sizeof *x);
  show("y", y, n * sizeof *y);
  show("a", a, n * sizeof *a);
}
