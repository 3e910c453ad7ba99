#include "../kernels/kernel.h"
/* A product, factors of a matrix, shortest paths, correlations, and sweeps along rows and columns. */
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 19), steps = size_argument(argc, argv, 2, 3);
  double (*a)[n] = room(n * sizeof *a), (*b)[n] = room(n * sizeof *b), (*c)[n] = room(n * sizeof *c), *mean = room(n * sizeof *mean);
  double (*p)[n] = room(n * sizeof *p), (*q)[n] = room(n * sizeof *q);
  fill_double(a[0], (long)n * n, 1);
  fill_double(b[0], (long)n * n, 2);
  fill_double(c[0], (long)n * n, 3);
#pragma dvm region across name(matmul)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma dvm region across name(floyd)
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i][j] = c[i][j] < c[i][k] + c[k][j] ? c[i][j] : c[i][k] + c[k][j];
  for (int i = 0; i < n; i++)
    a[i][i] += 500;
#pragma dvm region across name(lu)
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++)
      a[i][k] /= a[k][k];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j];
  }
#pragma dvm region across name(correlation)
  {
    for (int j = 0; j < n; j++) {
      mean[j] = 0;
      for (int i = 0; i < n; i++)
        mean[j] += b[i][j];
      mean[j] /= n;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        b[i][j] -= mean[j];
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) {
        c[i][j] = 0;
        for (int k = 0; k < n; k++)
          c[i][j] += b[k][i] * b[k][j];
        c[j][i] = c[i][j];
      }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p[i][j] = q[i][j] = 0;
#pragma dvm region across name(adi)
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) {
      b[0][i] = 1;
      p[i][0] = 0;
      q[i][0] = b[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -0.25 / (0.25 * p[i][j - 1] + 2);
        q[i][j] = (0.125 * a[j][i - 1] + 1.5 * a[j][i] + 0.125 * a[j][i + 1] - 0.25 * q[i][j - 1]) / (0.25 * p[i][j - 1] + 2);
      }
      b[n - 1][i] = 1;
      for (int j = n - 2; j >= 1; j--)
        b[j][i] = p[i][j] * b[j + 1][i] + q[i][j];
    }
    for (int i = 1; i < n - 1; i++) {
      a[i][0] = 1;
      p[i][0] = 0;
      q[i][0] = a[i][0];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -0.25 / (0.25 * p[i][j - 1] + 2);
        q[i][j] = (0.125 * b[i - 1][j] + 1.5 * b[i][j] + 0.125 * b[i + 1][j] - 0.25 * q[i][j - 1]) / (0.25 * p[i][j - 1] + 2);
      }
      a[i][n - 1] = 1;
      for (int j = n - 2; j >= 1; j--)
        a[i][j] = p[i][j] * a[i][j + 1] + q[i][j];
    }
  }
  show("a", a, n * sizeof *a);
  show("b", b, n * sizeof *b);
  show("c", c, n * sizeof *c);
}
