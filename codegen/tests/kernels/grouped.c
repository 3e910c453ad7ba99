/* Bodies of many statements, which are analysed as one: their order, values between them, carried dependences. */
#include "kernel.h"

static void sweep(int n, double u[n][n][5], double v[n][n], double w[n][n])
{
#pragma dvm region
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      u[i][j][0] = 0.5 * (v[i][j - 1] + v[i][j + 1]);
      u[i][j][1] = u[i][j][0] - v[i][j];
      u[i][j][2] = u[i][j][1] * 0.25 + u[i][j][2];
      w[i][j] = u[i][j][2] - u[i][j][0];
      u[i][j][3] = w[i][j] * 2;
      u[i][j][4] = u[i][j][3] + u[i][j][4];
      w[i][j] = w[i][j] + u[i][j][4];
    }
}

static void in_place(int n, double u[n][n][5], double v[n][n])
{
#pragma dvm region
  for (int i = 1; i < n - 1; i++) {
    v[i][0] = i;
    for (int j = 1; j < n - 1; j++) {
      u[i][j][0] = 0.5 * (u[i - 1][j][0] + u[i][j - 1][0]);
      u[i][j][1] = u[i][j][0] - u[i][j + 1][1];
      u[i][j][2] = u[i][j][1] * 0.25 + u[i + 1][j][2];
      v[i][j] = u[i][j][2] - u[i][j][0] + v[i][j - 1];
      u[i][j][3] = v[i][j] * 2;
    }
  }
}

static void triangle(int n, double u[n][n][5])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (j <= i) {
        u[i][j][0] += i;
        u[i][j][1] += u[i][j][0];
        u[i][j][2] += u[i][j][1] + j;
        u[i][j][3] += u[i][j][2];
        u[i][j][4] += u[i][j][3];
      }
}

int main(int argc, char **argv)
{
  const int n = 1 + size_argument(argc, argv, 1, 20);
  double *u = room(sizeof(double) * 5 * (size_t)n * (size_t)n), *v = room(sizeof(double) * (size_t)n * (size_t)n),
         *w = room(sizeof(double) * (size_t)n * (size_t)n);
  fill_double(u, 5L * n * n, 1);
  fill_double(v, (long)n * n, 2);
  fill_double(w, (long)n * n, 3);
  sweep(n, (double(*)[n][5])u, (double(*)[n])v, (double(*)[n])w);
  in_place(n, (double(*)[n][5])u, (double(*)[n])v);
  triangle(n, (double(*)[n][5])u);
  show("u", u, sizeof(double) * 5 * (size_t)n * (size_t)n);
  show("v", v, sizeof(double) * (size_t)n * (size_t)n);
  show("w", w, sizeof(double) * (size_t)n * (size_t)n);
  return 0;
}
