#include "kernel.h"
#include <math.h>
/* Functions of the file that nobody declares const or pure: their bodies show that they only compute a value. */
#define N 90
static const double factors[4] = { 1, 2, 3, 0.5 };
static int mode = 3;
static double weights[N], a[N], b[N];
typedef struct { double x, y; } point;
static double square(double x) { return x * x; }
static inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
double external(double x) { return x < 0 ? -sqrt(-x) : sqrt(x); }
static double horner(const double *c, int n, double x);
static double length(point p) { return sqrt(square(p.x) + square(p.y)); }
static double table(int i)
{
  static const double parts[2] = { 0.25, 0.125 };
  double t[3] = { parts[i & 1], weights[i], mode };
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    if (k == 1 && i % 5 == 0)
      continue;
    sum += t[k] * factors[(i + k) & 3];
  }
  return sum;
}
static double weight_poly(double x) { return horner(weights, 4, x); }
static void sums(int n)
{
#pragma dvm region
  for (int j = 1; j < n; j++)
    for (int i = 1; i < n; i++)
      a[i] = clamp(a[i] + external(b[j]) + square(a[i - 1]), -1000, 1000) + table(j);
}
static double horner(const double *c, int n, double x)
{
  double y = 0;
  while (n-- > 0)
    y = y * x + c[n];
  return y;
}
static void local(int n, const point *p)
{
  double t[N];
#pragma dvm region
  for (int i = 0; i < n; i++)
    t[i] = length(p[i]) + weight_poly(p[i].x / 4);
  for (int i = 0; i < n; i++)
    b[i] = t[i];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  point p[N];
  fill_double(weights, N, 1);
  fill_double(a, N, 2);
  fill_double(b, N, 3);
  fill_double(&p[0].x, 2 * N, 4);
  sums(n);
  local(n, p);
  show("a", a, N * sizeof *a);
  show("b", b, N * sizeof *b);
}
