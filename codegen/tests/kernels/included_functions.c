#include "kernel.h"
#include "called.h"
/* Functions of an included file work on arrays and on numbers of an iteration. */
#define N 32
int shift = 2;
static double a[N][PARTS], b[N][PARTS], c[N * N];
static double v[N][PARTS];

static void regions(int n, double *restrict to, const double *restrict from)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a[i], b[i], 0.5);
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      add(&to[PARTS * i], &from[PARTS * j], a[j][0]);
#pragma dvm region
  for (int i = 0; i < n; i++)
    nested(v[i], a[i], PARTS);
#pragma dvm region
  for (int i = 0; i < n; i++) {
    unsigned seed = 7 + i;
    for (int j = 0; j < n; j++)
      c[N * i + j] = next(&seed) % 100;
  }
}

int main(int argc, char **argv)
{
  static double to[N * PARTS], from[N * PARTS];
  int n = size_argument(argc, argv, 1, 17);
  fill_double(&a[0][0], N * PARTS, 1);
  fill_double(&b[0][0], N * PARTS, 2);
  fill_double(from, N * PARTS, 3);
  regions(n, to, from);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("to", to, sizeof to);
  show("v", v, sizeof v);
  return 0;
}
