/* stays sequential: 5 regions, since what they leave is named where the syntax tree does not show it */
#include "kernel.h"

static double a[40], b[40];
static double own[2];
static double u, w;
static int k, l;

/* By a declaration in a block. */
static double by_block(void)
{
  extern double own[2];
  return own[1];
}

static void block(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    own[0] = a[i] + 1;
    own[1] = own[0] * 2;
    b[i] += own[0] * own[1];
  }
}

/* By the length of an array. */
static void length(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    k = (int)a[i] + 3;
    b[i] += k * 2;
  }
}

static unsigned long by_length(void)
{
  double v[k];
  return sizeof v;
}

static unsigned long local(int n)
{
  int m[2] = {1, 2};
#pragma dvm region
  for (int i = 0; i < n; i++) {
    m[0] = (int)a[i] + 4;
    m[1] = m[0] + 1;
    b[i] += m[0] * m[1];
  }
  double v[m[1]];
  return sizeof v;
}

/* By a pragma, which may be evaluated: of OpenMP, and of another region. */
static void by_pragmas(int n)
{
#pragma omp parallel for if (u > 3)
  for (int i = 0; i < n; i++)
    b[i] += 1;
#pragma dvm region serial(l > 3)
  for (int i = 0; i < n; i++)
    b[i] += 2;
}

static void pragmas(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    u = a[i] - 3;
    b[i] += u * u;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    l = (int)a[i] - 2;
    b[i] += l;
  }
}

/* Members, parameters and locals of the same name, and strings, are others: these two stay private. */
struct pair {
  double w, q;
};

static double sum(struct pair p, double w)
{
  return p.w + p.q + w + (double)sizeof "w, q";
}

static double others(int n)
{
  double q[2] = {1, 2};
#pragma dvm region
  for (int i = 0; i < n; i++) {
    w = a[i] - 5;
    b[i] += w * w;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    q[0] = a[i] / 2;
    q[1] = q[0] - 1;
    b[i] += q[0] * q[1];
  }
  struct pair p = {.q = 3, .w = 4};
  return sum(p, 5);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 9;
  k = 1;
  for (int i = 0; i < 40; i++)
    a[i] = (i * 5) % 11 + 1;
  block(n);
  length(n);
  printf("%.17g %lu %lu\n", by_block(), by_length(), local(n));
  pragmas(n);
  by_pragmas(n);
  printf("%.17g\n", others(n));
  for (int i = 0; i < 40; i++)
    printf("%.17g\n", b[i]);
  return 0;
}
