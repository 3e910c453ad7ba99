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
static void stride(const int *by, double *restrict a, int n)
{
#pragma dvm region
  for (int i = 0; i < n; i += *by)
    a[i] += 1;
}
int main(void)
{
  static double a[40];
  struct grid g = { 2 };
  int one = 1;
  stride(&one, a, 40);
  stride(NULL, a, 0);
  int last = count(&g, a, 30) + divide(7, 2, a, 40), none = count(NULL, a, 0) + divide(7, 0, a, 0);
  printf("%d %d %g\n", last, none, a[21]);
}
