#include "kernel.h"
/* Scalars that loops change by the same amount in each iteration. */
#define N 64
static double t[N * N], u[4 * N + 8], v[4 * N + 8];

static void counted(int n)
{
  int k = 3, m = 2 * N;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    u[k] = v[i] + u[k];
    k++;
    v[2 * N + i] = k * 0.5 + m;
    m -= 2;
  }
#pragma dvm region
  for (int i = n - 1; i >= 0; i--) {
    u[k++] += 1;
    v[--m] = i;
  }
  printf("%d %d\n", k, m);
}

/* One subscript for rows and columns. */
static void packed(int n, int m, double *restrict a, const double *restrict b)
{
  int k = 0, at;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[k] = a[k] + b[k] * 2;
      k++;
    }
  at = k;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j++)
      a[at++] = i + b[j];
    at = at + 1;
  }
  printf("%d %d\n", k, at);
}

/* Counters beside the counter, steps that only the run knows, other types. */
static unsigned beside(int n, int step, long far)
{
  int i, k;
  unsigned w = 5;
  long l = far;
#pragma dvm region
  for (i = 0, k = 1; i < n; i++, k += 2)
    u[k] = v[i] + k;
#pragma dvm region
  for (i = 0; i < n; i++) {
    w += 3;
    t[i] += w;
    l = l + step;
    t[N + i] += l;
  }
#pragma dvm region
  for (k = 2 * N, i = n; i > 0; k--, --i) {
    if (t[i] > 0)
      u[k] = v[k] + i;
    else
      u[k] = i;
  }
  return w + k + (unsigned)l;
}

/* Inside other loops, set again in each of their iterations. */
static void inner(int n)
{
  int k, e;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    k = i;
    e = 2 * i;
    for (int j = 0; j < 8; j++) {
      t[i * 64 + j] += v[k];
      k += 2;
      for (int l = 0; l < 3; l++)
        t[i * 64 + 16 + j] += v[e++];
      e -= 3;
    }
    u[i] = u[i] + k + e;
  }
}

/* The loop's counter has its value already. */
static int entered(int n, int i)
{
#pragma dvm region
  for (; i < n; i++)
    u[i] = v[i] + i;
  return i;
}

/* A condition around the update: the scalar stays in memory, or the region sequential. */
static int unknown_count(int n)
{
  int k = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (v[i] > 0)
      k++;
    u[i] = v[i] * 2;
  }
  return k;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  double *a = room(8 * 3 * N * N), *b = room(8 * N * N);
  fill_double(a, 3 * N * N, 1);
  fill_double(b, N * N, 2);
  fill_double(t, N * N, 3);
  fill_double(u, 4 * N, 4);
  fill_double(v, 4 * N, 5);
  counted(n);
  packed(n, 9, a, b);
  packed(9, n, a, b);
  packed(n, 0, a, b);
  printf("%u\n", beside(n, 3, -7));
  printf("%u\n", beside(n, -3, 1l << 40));
  inner(n);
  printf("%d %d\n", entered(n, 0), entered(n, 5));
  printf("%d\n", unknown_count(n));
  show("a", a, 8 * 3 * N * N);
  show("b", b, 8 * N * N);
  show("t", t, sizeof t);
  show("u", u, sizeof u);
  show("v", v, sizeof v);
}
