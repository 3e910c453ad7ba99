/* What only an iteration reads is not read where the loops have none: there may be nothing to read. */
#include <stdio.h>
struct grid { int n; };
static int count(const struct grid *g, double *restrict a, int n)
{
  int at = 4, twice;
#pragma dvm region private(twice)
  for (int i = 0; i < n; i++) {
    twice = 2 * i;
    a[i] = twice;
    at += g->n;
  }
  return at;
}
static int divide(int size, int parts, double *restrict a, int n)
{
  int at = 4;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] += i;
    at += size / parts;
  }
  return at;
}
int main(void)
{
  static double a[40];
  struct grid g = { 2 };
  int last = count(&g, a, 30) + divide(7, 2, a, 40), none = count(NULL, a, 0) + divide(7, 0, a, 0);
  printf("%d %d %g\n", last, none, a[21]);
}
