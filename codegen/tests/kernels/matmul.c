#include "kernel.h"
static void textbook(int n, int m, int l, double a[restrict n][l], double b[restrict l][m], double c[restrict n][m])
{
#pragma dvm region tile(16, 16, 16)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] = 0;
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
static void accumulator(int n, double (*a)[n], double (*b)[n], double (*c)[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
#pragma endscop
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 31), m = n + 2, l = n / 2 + 1;
  double (*a)[l] = room((n + 1) * sizeof *a), (*b)[m] = room((l + 1) * sizeof *b), (*c)[m] = room((n + 1) * sizeof *c);
  fill_double(a[0], (long)n * l, 1);
  fill_double(b[0], (long)l * m, 2);
  textbook(n, m, l, a, b, c);
  show("c", c, n * sizeof *c);
  double (*d)[n] = room(n * sizeof *d), (*e)[n] = room(n * sizeof *e), (*f)[n] = room(n * sizeof *f);
  if (n > 0) {
    fill_double(d[0], (long)n * n, 3);
    fill_double(e[0], (long)n * n, 4);
  }
  accumulator(n, d, e, f);
  show("f", f, n * sizeof *f);
  accumulator(n, d, d, d);
  show("d", d, n * sizeof *d);
}
