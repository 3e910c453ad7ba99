/* stays sequential: 8 of these regions: another part of the program reads what they leave */
#include "kernel.h"

static double a[40], b[40], c[40][5];
static double t, u, kept, seen, told, wild;
static int at;
static double own[3], shared[3];
extern double outside;
double outside = 3;

/* Written first wherever it is named. */
static void twice(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    t = a[i] * 2;
    u = t - 1;
    b[i] = t * u;
  }
}

static double sum(int n)
{
  int i;
  double s = 0;
  for (i = 0; i < n; i++) {
    t = b[i] + 1;
    s += t;
  }
  return s;
}

/* One that a called function writes: what `sum` leaves in `t` is not read. */
static double both(int n)
{
  double before = sum(n);
  t = 2;
  return before + t;
}

/* Read by a function that does not write it first. */
static void leaves(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    kept = a[i] + 3;
    b[i] += kept;
  }
}

static double last(void) { return kept; }

/* Read after the call of the function that holds the region. */
static void hidden(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    seen = a[i] + 4;
    b[i] += seen;
  }
}

static double after(int n)
{
  seen = 0;
  hidden(n);
  return seen;
}

/* Its address is known. */
static double *where(void) { return &told; }

static void told_of(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    told = a[i] + 5;
    b[i] += told;
  }
}

/* Named by a declaration in a block. */
static void block(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    wild = a[i] + 6;
    b[i] += wild;
  }
}

static double by_block(void)
{
  extern double wild;
  return wild;
}

/* Not static. */
static void exported(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    outside = a[i] + 7;
    b[i] += outside;
  }
}

/* It keeps its value from call to call. */
static double counted(int n)
{
  static double before = 2;
  double was = before;
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    before = a[i] + was;
    b[i] += before;
  }
  return before;
}

/* It does not. */
static void local(int n)
{
  static double here;
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    here = a[i] - 2;
    b[i] += here * here;
  }
}

/* An integer. */
static void position(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    at = (i * 7) % 5;
    b[i] += at;
  }
}

/* Small arrays that only the region names. */
static void solve(int n)
{
  double m[2][2], f;
  int i, k, l;
#pragma dvm region
  for (i = 0; i < n; i++) {
    for (k = 0; k < 2; k++)
      for (l = 0; l < 2; l++)
        m[k][l] = c[i][k + l] + k;
    f = m[1][0] / (m[0][0] + 9);
    m[1][1] = m[1][1] - f * m[0][1];
    c[i][4] = m[1][1] / (f + 8);
  }
}

static void points(int n)
{
  int i, k;
#pragma dvm region
  for (i = 0; i < n; i++) {
    for (k = 0; k < 3; k++)
      own[k] = a[i] + k;
    b[i] += own[0] * own[2] - own[1];
  }
}

/* Read by another function, read after the region, and read before it is written. */
static void others(int n)
{
  int i, k;
#pragma dvm region
  for (i = 0; i < n; i++) {
    for (k = 0; k < 3; k++)
      shared[k] = a[i] + k;
    b[i] += shared[0] - shared[2];
  }
}

static double end(int n)
{
  double m[2] = {1, 2};
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    m[0] = a[i] + 1;
    m[1] = a[i] + 2;
    b[i] += m[0] * m[1];
  }
  return m[0] - m[1] / 4;
}

static double carried(int n)
{
  double m[2] = {1, 2};
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    b[i] += m[0] * m[1];
    m[0] = a[i] + 1;
    m[1] = a[i] + 2;
  }
  return 0;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 9, i, k;
  for (i = 0; i < 40; i++) {
    a[i] = (i * 5) % 11;
    for (k = 0; k < 5; k++)
      c[i][k] = (i * k) % 7;
  }
  shared[1] = 4;
  twice(n);
  printf("%.17g %.17g\n", sum(n), both(n));
  leaves(n);
  printf("%.17g %.17g\n", last(), after(n));
  told_of(n);
  block(n);
  exported(n);
  printf("%.17g %.17g %.17g\n", *where(), by_block(), outside);
  printf("%.17g ", counted(n));
  printf("%.17g\n", counted(n / 2));
  local(n);
  position(n);
  solve(n);
  points(n);
  others(n);
  printf("%.17g %.17g %.17g %.17g\n", shared[0], shared[1], end(n), carried(n));
  for (i = 0; i < 40; i++)
    printf("%.17g %.17g\n", b[i], c[i][4]);
  return 0;
}
