#include "kernel.h"
/* `switch` inside of loops. */
#define N 96
static double a[N], b[N], c[N], m[N][N];
static int kind[N], of[N][N];

enum { NONE, LEFT, RIGHT, BOTH };

/* With falls from one label into the next, ranges, and no default. */
static void cells(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      switch (of[i][j]) {
      case NONE:
        m[i][j] = 1;
        break;
      case LEFT:
      case BOTH:
        m[i][j] += a[j]; /* and on */
      case RIGHT:
        m[i][j] += 3;
        break;
      default:
        m[i][j] = -1;
      }
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    switch (i % 7) {
    case 1 ... 3:
      c[i] = a[i];
      break;
    case 5: {
      double t = a[i] * b[i];
      c[i] = t;
    }
    }
}

/* A value that some labels set, and loops inside of labels. */
static void values(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double t;
    switch (kind[i]) {
    case 0:
      t = 1;
      break;
    case 1:
      t = b[i];
      break;
    default:
      t = 2;
    }
    for (int j = 0; j < n; j++)
      m[i][j] += t;
  }
  double kept = 4;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    switch (kind[i]) {
    case 2:
      for (int j = 0; j < n; j++) {
        if (j == 7)
          break;
        m[i][j] = 2;
      }
      break;
    case 1:
      continue;
    }
    a[i] = m[i][0] + kept;
  }
  int p = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    p = kind[i];
    switch (p) {
    case 1:
      p = 5;
    case 2:
      p += 1;
    }
    b[i] = p;
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  fill_double(a, N, 1);
  fill_double(b, N, 2);
  fill_double(c, N, 3);
  fill_double(m[0], N * N, 4);
  for (int i = 0; i < N; i++) {
    kind[i] = (i * i + i / 3) % 4;
    for (int j = 0; j < N; j++)
      of[i][j] = (i * 5 + j * j) % 5;
  }
  cells(n);
  values(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("m", m, sizeof m);
  return 0;
}
