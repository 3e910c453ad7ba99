/* stays sequential: 2 regions, where one statement would need two variables of one name */
#include "kernel.h"
#define N 34
static double a[N][N], b[N], c[N];
static double work(int n)
{
  int i, j;
  double t = 7;
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int i = j;
      b[i] += 0.5;
    }
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double i = j;
      a[j][j] += i;
    }
#pragma dvm region
  for (i = 0; i < n; i++) {
    double t = 2;
    {
      double t = 3;
      c[i] += t;
    }
    b[i] += t;
  }
#pragma dvm region
  for (i = 0; i < n; i++) {
    int n = i;
    for (j = 0; j < n; j++)
      a[i][j] += n;
  }
#pragma dvm region
  for (i = 0; i < n; i++) {
    a[i][0] += t;
    {
      double t = b[i];
      c[i] += t;
    }
    a[i][1] += t;
  }
#pragma dvm region
  for (i = 0; i < n; i++) {
    int k = n - 1 - i;
    {
      int i = k;
      c[i] += a[k][i];
    }
  }
#pragma dvm region
  for (i = 0; i < n; i++) {
    double t = 2, u = t * 2;
    {
      double t = 3;
      c[i] += t + u;
    }
  }
  return t + i;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N - 2);
  fill_double(a[0], N * N, 1);
  fill_double(b, N, 2);
  fill_double(c, N, 3);
  printf("%g\n", work(n));
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
}
