#include "kernel.h"
#include <stddef.h>
/* Volumes whose two strides are independent variables: the entry checks that one is a multiple of the other. */
static double in[40 * 40 * 20], out[40 * 40 * 20];

static void box(int lx, int ly, int lz, int row, int plane, int ghosts, double *to, const double *from)
{
#pragma dvm region
  for (int k = 0; k < lz; k++)
    for (int j = 0; j < ly; j++)
      for (int i = 0; i < lx; i++) {
        const int at = ghosts * (1 + row + plane) + i + j * row + k * plane;
        to[at] = from[at] * 2 + from[at - 1] + from[at + row] + from[at - plane];
      }
}

/* In place: planes wait for planes, rows for rows. */
static void sweep(size_t lx, size_t ly, size_t lz, size_t row, size_t plane, double *u)
{
#pragma dvm region
  for (size_t k = 1; k < lz; k++)
    for (size_t j = 1; j < ly; j++)
      for (size_t i = 1; i < lx; i++)
        u[k * plane + j * row + i] += 0.5 * u[(k - 1) * plane + j * row + i] - 0.25 * u[k * plane + (j - 1) * row + i - 1];
}

/* Heads of a row: their distance divides the row's length where it is a whole number of heads. */
static void heads(int rows, int width, int heads, double *to, const double *from)
{
  int one = heads > 0 ? width / heads : 0, three = 3 * width;
#pragma dvm region
  for (int t = 0; t < rows; t++)
    for (int h = 0; h < heads; h++)
      for (int i = 0; i < one; i++)
        to[t * width + h * one + i] = from[t * three + h * one + i] - from[t * three + h * one + width + i];
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *to = out + 4000, *from = in + 4000;
  fill_double(in, 40 * 40 * 20, 1);
  fill_double(out, 40 * 40 * 20, 2);
  box(n, n, 8, n + 2, (n + 2) * (n + 2), 1, to, from);
  /* No multiple, rows that overlap, planes inside of rows, strides below 1. */
  box(n, n, 4, n + 2, (n + 2) * n + 1, 1, to, from);
  box(n, n, 4, n / 2, (n / 2) * n, 0, to, from);
  box(n, 3, 4, 5 * n, n, 0, to, from);
  box(n, 2, 3, 0, n, 0, to, from);
  box(n, 2, 3, -n, -3 * n, 0, to, from);
  sweep(n, n, 7, n + 1, (n + 1) * (n + 1), in + 1);
  sweep(n, n, 7, n, n * n + 3, in);
  sweep(n, 3, 4, n, 2 * n, in);
  heads(8, n - n % 4, 4, out, in);
  heads(8, n, 3, out, in);
  show("in", in, sizeof in);
  show("out", out, sizeof out);
  return 0;
}
