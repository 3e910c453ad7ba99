#include "kernel.h"
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 9), steps = size_argument(argc, argv, 2, 4);
  double (*u)[n][n] = room((n + 1) * sizeof *u), (*v)[n][n] = room((n + 1) * sizeof *v);
  if (n > 0) fill_double(u[0][0], (long)n * n * n, 1);
#pragma dvm region
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          v[i][j][k] = 0.1 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          u[i][j][k] = v[i][j][k];
  }
  show("u", u, n * sizeof *u);
  show("v", v, n * sizeof *v);
}
