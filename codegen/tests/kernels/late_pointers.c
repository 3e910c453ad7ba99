#include "kernel.h"
/* Pointers that are declared between statements which have to stay together. */
static double in[40 * 40], out[40 * 40], mean[40], weight[40];

static void normalise(double *to, double *means, const double *from, const double *weights, int rows, int columns)
{
#pragma dvm region
  for (int b = 0; b < rows; b++) {
    const double *x = from + b * columns;
    double m = 0;
    for (int i = 0; i < columns; i++)
      m += x[i];
    m = m / columns;
    double *o = to + b * columns;
    for (int i = 0; i < columns; i++)
      o[i] = (x[i] - m) * weights[i];
    means[b] = m;
  }
}

static void scores(double *restrict to, const double *restrict from, int rows, int columns)
{
#pragma dvm region
  for (int t = 0; t < rows; t++) {
    double most = -10000;
    for (int u = 0; u <= t; u++) {
      const double *key = from + u * columns + 1;
      double value = 0;
      for (int i = 0; i < columns - 1; i++)
        value += from[t * columns + i] * key[i];
      if (value > most)
        most = value;
      double *row = &to[t * rows];
      row[u] = value;
    }
    to[t * rows] += most;
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  fill_double(in, 40 * 40, 1);
  fill_double(weight, 40, 2);
  normalise(out, mean, in, weight, n, n + 2);
  show("out", out, sizeof out);
  /* The rows overlap: the loops run in their order. */
  normalise(in + 3, mean, in, weight, n, n);
  scores(out, in, n, n + 1);
  show("in", in, sizeof in);
  show("out", out, sizeof out);
  show("mean", mean, sizeof mean);
  return 0;
}
