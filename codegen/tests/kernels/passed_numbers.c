#include "kernel.h"
/* Numbers of an iteration whose addresses are passed to functions of the file. */
#define N 40
static double a[N * 8], b[N * 8], c[N * 8];
static int at[N];

static unsigned long next(unsigned long *seed)
{
  *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
  return *seed >> 33;
}
static double unit(unsigned long *seed)
{
  return (double)next(seed) / 2147483648.0;
}
static void bounds(double x, double *lo, double *hi)
{
  *lo = x - 1;
  hi[0] = x + 1;
}
static void by_local(double x, double *out)
{
  double t = x, u;
  bounds(t, &t, &u);
  *out = t * u;
}
static int step(int *k)
{
  int old = *k;
  *k = (*k * 7 + 3) % 23;
  return old;
}
static void below(const int *k, double *row)
{
  for (int j = 0; j < 8; j++)
    if (j < *k % 8)
      row[j] += *k;
}
static int first(double x, double *out)
{
  if (x > 20)
    return 0;
  *out = x;
  return 1;
}

static void declared(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    unsigned long seed = 42 + i;
    a[i] = unit(&seed);
    b[i] = unit(&seed);
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double lo, hi;
    bounds(b[i], &lo, &hi);
    a[i] += lo * hi;
    by_local(lo, &hi);
    c[i] = hi;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int k = at[i], l = i;
    below(&k, a + 8 * i);
    for (int j = 0; j < 3; j++)
      b[i * 8 + j] += step(&l) + l;
    const int m = 5;
    below(&m, c + 8 * i);
  }
}

/* Variables of the function: each iteration sets them before it passes their addresses, or the author says so. */
static void outside(int n)
{
  double sum, lo, hi, own;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    sum = 0;
    for (int j = 0; j < 4; j++)
      by_local(b[i + j], &sum);
    a[i] = sum;
  }
#pragma dvm region private(lo, hi)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++) {
      bounds(b[i * 8 + j], &lo, &hi);
      c[i * 8 + j] += lo * hi;
    }
#pragma dvm region private(own)
  for (int i = 0; i < n; i++)
    if (first(b[i], &own))
      a[i] += own;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11);
  fill_double(a, N * 8, 1);
  fill_double(b, N * 8, 2);
  fill_double(c, N * 8, 3);
  for (int i = 0; i < N; i++)
    at[i] = i * 7 % N;
  declared(n);
  outside(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  return 0;
}
