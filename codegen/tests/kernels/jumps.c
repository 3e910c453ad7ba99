/* stays sequential: 1 region */
#include "kernel.h"
/* Jumps forward inside the body of a loop. */
#define N 96
static double a[N], b[N], c[N], d[N], e[N], m[N][N];

/* Two ways through the body. */
static void ways(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (a[i] > 0)
      goto positive;
    b[i] = -b[i] + d[i] * e[i];
    goto next;
  positive:
    c[i] = -c[i] + d[i] * e[i];
  next:
    a[i] = b[i] + c[i] * d[i];
  }
}

/* Jumps out of branches in branches, over statements that give scalars values. */
static double branches(int n)
{
  double t = 1, u;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (a[i] < 5) {
      if (b[i] < 5)
        goto low;
      if (c[i] < 5)
        goto end;
    }
    u = d[i] * 2;
    a[i] = u;
    goto end;
  low:
    u = e[i] + 1;
    b[i] = u * u;
  end:;
  }
  return t;
}

/* A scalar that one way does not set: it keeps the value of an earlier iteration. */
static double kept(int n)
{
  double t = 0.5;
  int k = 3;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      goto use;
    t = a[i];
    k = k + 2;
  use:
    b[i] = b[i] + t;
    c[i] = c[i] + k;
  }
  return t + k;
}

/* Inner loops: jumps in their bodies, and over them. */
static void inner(int n)
{
  int i, j;
#pragma dvm region
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if (m[i][j] < 0)
        goto skip;
      m[i][j] = m[i][j] * 2;
    skip:
      m[i][j] = m[i][j] + 1;
    }
  }
#pragma dvm region
  for (i = 0; i < n; i++) {
    if (d[i] < 0)
      goto over;
    for (j = 0; j < n; j++)
      m[i][j] = m[i][j] * 2 + j;
  over:
    d[i] = d[i] * 0.5;
  }
  printf("%d\n", i);
}

/* A write that a jump passes over leaves the earlier one: the second loop needs both. */
static void sometimes(int n)
{
#pragma dvm region
  {
    for (int i = 0; i < n; i++)
      b[i] = i;
    for (int i = 0; i < n; i++) {
      if (c[i] < 0)
        goto leave;
      b[i] = c[i];
    leave:
      e[i] = 2 * c[i];
    }
    for (int i = 1; i < n; i++)
      a[i] = b[i] - b[i - 1];
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  fill_double(a, N, 1);
  fill_double(b, N, 2);
  fill_double(c, N, 3);
  fill_double(d, N, 4);
  fill_double(e, N, 5);
  fill_double(m[0], N * N, 6);
  ways(n);
  printf("%g\n", branches(n));
  printf("%g\n", kept(n));
  fill_double(d, N, 7);
  inner(n);
  sometimes(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("d", d, sizeof d);
  show("e", e, sizeof e);
  show("m", m, sizeof m);
  return 0;
}
