/* stays sequential: 2 regions */
#include "kernel.h"
/* Iterations that `continue` ends early. */
#define N 96
static double a[N], b[N], c[N], m[N][N], o[N][N];
static int kind[N];

/* By conditions on counters, which tell what the rest may touch. */
static void by_counters(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (i == 3)
      continue;
    for (int j = 0; j < n; j++) {
      if (j > i)
        continue;
      m[i][j] = o[i][j] + o[j][i];
    }
  }
#pragma dvm region
  for (int t = 0; t < 3; t++) {
    if (t == 1)
      continue;
    for (int i = 1; i + 1 < n; i++)
      a[i] = b[i - 1] + b[i + 1];
    for (int i = 1; i + 1 < n; i++) {
      if (i == 4) {
        b[i] = t;
        continue;
      } else if (i == 6)
        continue;
      b[i] = a[i] * 0.5;
    }
  }
}

/* By data, in the middle of the body and of a branch, with `else`, in a block. */
static void by_data(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double t = a[i] * 2;
    if (t > 8)
      continue;
    double u = t + 1;
    a[i] = u;
    if (kind[i] == 1) {
      b[i] = u;
      continue;
    }
    c[i] = u - b[i];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (kind[i]) {
      if (kind[i] == 3)
        continue;
      b[i] = 5;
    }
    a[i] = a[i] + b[i];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (kind[i] == 2)
      c[i] = 7;
    else
      continue;
    b[i] = c[i] + 1;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    {
      if (kind[i] == 2)
        continue;
      c[i] = 1;
    }
    b[i] = c[i] + a[i];
  }
#pragma dvm region independent
  for (int i = 0; i < n; i++) {
    if (kind[i] == 1)
      continue;
    for (int j = 0; j < n; j++) {
      if (m[i][j] < 3)
        continue;
      o[i][kind[j]] += m[i][j];
    }
  }
}

/* Values that cross what a `continue` passes over. */
static void values(int n)
{
  int k = 0, count = 0, i, j;
  double last = 0, sum = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    k += 2;
    if (kind[i] == 2)
      continue;
    m[i][3] = k;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (i % 3)
      continue;
    a[i] = count;
    count += 3;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (kind[i])
      last = c[i];
    else
      continue;
    b[i] = last;
  }
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++) {
    if (kind[i] == 1)
      continue;
    sum += c[i];
  }
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      if (j > i)
        continue;
      o[i][j] = 2;
    }
  printf("%d %d %g %g %d %d\n", k, count, last, sum, i, n ? j : 0);
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  fill_double(a, N, 1);
  fill_double(b, N, 2);
  fill_double(c, N, 3);
  fill_double(m[0], N * N, 4);
  fill_double(o[0], N * N, 5);
  for (int i = 0; i < N; i++)
    kind[i] = (i * i + i / 3) % 4;
  by_counters(n);
  by_data(n);
  values(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("m", m, sizeof m);
  show("o", o, sizeof o);
  return 0;
}
