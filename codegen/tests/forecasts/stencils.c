#include "../kernels/kernel.h"
/* Steps in time over planes: values of one array, of two in turn, and of three that need each other. */
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 17), steps = size_argument(argc, argv, 2, 5);
  double (*a)[n] = room(n * sizeof *a), (*b)[n] = room(n * sizeof *b), (*c)[n] = room(n * sizeof *c);
  fill_double(a[0], (long)n * n, 1);
  fill_double(b[0], (long)n * n, 2);
  fill_double(c[0], (long)n * n, 3);
#pragma dvm region across name(jacobi)
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
#pragma dvm region across name(seidel)
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        c[i][j] = (c[i - 1][j] + c[i][j - 1] + c[i][j] + c[i][j + 1] + c[i + 1][j]) / 5;
#pragma dvm region across name(fdtd)
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] -= 0.5 * (c[i][j] - c[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        b[i][j] -= 0.5 * (c[i][j] - c[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        c[i][j] -= 0.7 * (a[i + 1][j] - a[i][j] + b[i][j + 1] - b[i][j]);
  }
  show("a", a, n * sizeof *a);
  show("b", b, n * sizeof *b);
  show("c", c, n * sizeof *c);
}
