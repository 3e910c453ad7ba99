#include "kernel.h"
/* Arrays inside struct variables: each element is a part of the variable, wherever it is read or written. */
struct parts { int rows, more; double k[40], w[40]; };
static struct parts shared;
static double all[40][40];
static void by_value(struct parts s, double *restrict d)
{
#pragma dvm region
  for (int i = 0; i < s.rows; i++)
    for (int j = 0; j < s.rows; j++)
      d[j] += s.k[i];
}
/* The second loop needs what the first has written, and the third writes what the second reads. */
static void in_order(int n, double *restrict d)
{
#pragma dvm region
  {
    for (int i = 0; i < n; i++)
      shared.k[i] = 2 * i + d[0];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        all[i][j] = shared.k[i] + shared.w[j];
    for (int i = 0; i < n; i++)
      shared.k[i] = 7;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        all[i][j] += shared.k[n - 1 - i];
  }
}
static double of_the_function(int n, double *restrict d)
{
  struct parts own = shared;
#pragma dvm region
  {
    for (int i = 0; i < n; i++)
      own.k[i] = d[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        all[i][j] += own.k[j];
  }
  return own.k[0];
}
static void of_the_region(int n, double *restrict d)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    struct parts own;
    own.k[0] = d[i];
    own.k[1] = own.k[0] * 2;
    d[i] = own.k[1];
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 19);
  double *d = room(40 * sizeof *d);
  fill_double(d, 40, 1);
  fill_double(shared.k, 40, 2);
  fill_double(shared.w, 40, 3);
  shared.rows = n;
  by_value(shared, d);
  in_order(n, d);
  double last = of_the_function(n, d);
  of_the_region(n, d);
  show("last", &last, sizeof last);
  show("d", d, 40 * sizeof *d);
  show("shared", shared.k, sizeof shared.k);
  show("all", all, sizeof all);
}
