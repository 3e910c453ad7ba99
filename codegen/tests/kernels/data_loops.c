#include "kernel.h"
/* Loops inside of a loop of which data tell how often they run: `while`, `do`, `break`, and what their counters leave. */
#define N 96
static double a[N], b[N], c[N], m[N][N], o[N][N];
static int kind[N];

static int first(const double *row, int n)
{
  int k = 0;
  while (k < n) {
    if (row[k] > 3)
      break;
    k++;
  }
  return k;
}

static void fill(double *row, int n, int limit)
{
  for (int k = 0; k < n; k++) {
    if (k == limit)
      break;
    if (k % 3 == 0)
      continue;
    row[k] = k;
  }
}

static double clipped(double *row, int n, double most)
{
  if (n < 3)
    return 1;
  for (int k = 0; k < n; k++) {
    if (row[k] > most)
      return row[k];
    row[k] += 1;
  }
  return most;
}

/* Points that leave a circle after some steps. */
static void iterated(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = 0, y = 0;
      int it = 0;
      while (it < 30 && x * x + y * y < 4) {
        double t = x * x - y * y + i * 0.02 - 1;
        y = 2 * x * y + j * 0.01;
        x = t;
        it++;
      }
      m[i][j] = it;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = 0, y = 0;
      int it;
      for (it = 0; it < 30; it++) {
        double t = x * x - y * y + i * 0.02 - 1;
        y = 2 * x * y + j * 0.01;
        x = t;
        if (x * x + y * y > 4)
          break;
      }
      o[i][j] = it;
    }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double x = a[i];
    do
      x = x * 0.5 + 0.25;
    while (x > 1);
    b[i] = x;
  }
}

/* Searches, whose counters say where they ended. */
static void searches(int n)
{
  int k, found;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int k;
    for (k = 0; k < n; k++)
      if (m[i][k] > 5)
        break;
    a[i] = k;
    if (k < n)
      b[i] = m[i][k];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (k = 0; k < n; k++) {
      if (o[i][k] < 2)
        continue;
      if (o[i][k] == 30)
        break;
      c[i] += o[i][k];
    }
    a[i] += k;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    found = 0;
    for (int k = 0; k < n; k++)
      if (m[i][k] == 4) {
        found = 1;
        break;
      }
    if (found)
      continue;
    b[i] = -3;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int z = 0;
    while (1) {
      z++;
      if (z > kind[i])
        break;
      if (z == 2)
        continue;
      c[i] += z;
    }
  }
}

/* The value that a loop leaves is used, though nothing ends it early. */
static void left(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int k;
    for (k = 0; k < i; k += 2)
      m[i][k] = i;
    int twice = k * 2;
    a[i] = twice;
    b[i] = twice + k;
  }
}

/* In functions that the region calls. */
static void called(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] + first(m[i], n);
#pragma dvm region
  for (int i = 0; i < n; i++)
    fill(o[i], n, kind[i] * 9);
#pragma dvm region
  for (int i = 0; i < n; i++)
    b[i] = clipped(m[i], n, 6);
}

/* A sum over all that comes before the end of each row. */
static void summed(int n)
{
  int sum = 0;
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (m[i][j] > 20)
        break;
      sum += j;
    }
  printf("%d\n", sum);
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
  iterated(n);
  searches(n);
  left(n);
  called(n);
  summed(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("m", m, sizeof m);
  show("o", o, sizeof o);
  return 0;
}
