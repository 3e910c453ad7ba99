#include "kernel.h"
#include <assert.h>
#include <math.h>
/* Functions that only compute a value: from arguments, constants and what the region does not write. */
#define N 70
static const double factors[4] = { 1, 2, 3, 0.5 };
static double weights[N];
static int mode = 3;
typedef struct { double x, y; } point;
__attribute__((const)) static double own(double x, int k)
{
  static const double parts[2] = { 0.25, 0.125 };
  double y[3] = { x, parts[k & 1] };
  point p = { x, 1 };
  assert(k >= 0);
  for (int i = 0; i < 3; i++)
    y[i] += factors[(k + i) & 3];
  p.y += y[2];
  switch (k % 3) {
  case 0: return p.y;
  case 1: x = fabs(y[0]); break;
  default: x = isnan(y[1]) ? 1 : y[1];
  }
  while (x > 100)
    x /= 2;
  return x + p.x;
}
static double helper(int i) { return weights[i] * mode; }
__attribute__((pure)) static double weighted(int i) { return helper(i) + own(i, i); }
__attribute__((pure)) static double through(const double *p, int i) { return p[i]; }
__attribute__((pure)) static double any(int i) { return through(weights, i); }
static void local(int n, double *out)
{
  double t[N];
#pragma dvm region
  for (int i = 0; i < n; i++)
    t[i] = any(i) + weighted(i);
  for (int i = 0; i < n; i++)
    out[i] = t[i];
}
static int counts[N];
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  double *a = room(2 * N * sizeof *a);
  fill_double(weights, N, 1);
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = own(sqrt(i), i);
#pragma dvm region
  for (int i = 0; i < n; i++)
    counts[i] = weighted(i);
  local(n, a + n);
  show("a", a, 2 * n * sizeof *a);
  show("counts", counts, sizeof counts);
}
