#include "kernel.h"
/* Loops whose iterations are independent by the author's word: what they write depends on data, or pointers are plain. */
static double grid[40][40], old[40][40], position[64][3], velocity[64][3], force[64][3];
static int order[64], owner[64], count[64];

/* Writes through a permutation. */
static void scatter(int n, double *to, double *from)
{
#pragma dvm region independent
  for (int i = 0; i < n; i++) {
    int at = order[i];
    to[at] = from[i] * 2;
    count[at] += 1;
  }
}

/* Both loops, named by their counters, and an inner loop below them; the arrays may overlap for all that is known. */
static void both(int n, double *a, double *b, double *c)
{
#pragma dvm region independent(i, j)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      int k = 0;
      for (k = 0; k < n; k++)
        sum += a[i * n + k] * b[order[k] % n * n + j];
      c[order[i] * 64 + order[j]] = sum + k;
    }
}

/* Forces on particles: a scalar and an array of the body, steps around it in which nothing is independent. */
static void particles(int n, int steps)
{
  double scale;
#pragma dvm region independent(i)
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      double sum[3] = {0, 0, 0};
      for (int j = 0; j < n; j++) {
        scale = position[order[j]][0] > position[i][0] ? 0.5 : 0.25;
        for (int d = 0; d < 3; d++)
          sum[d] += scale * (position[order[j]][d] - position[i][d]);
      }
      for (int d = 0; d < 3; d++)
        force[order[i]][d] = sum[d];
    }
    for (int p = 0; p < n; p++)
      for (int d = 0; d < 3; d++) {
        velocity[p][d] += 0.125 * force[p][d];
        position[p][d] += 0.125 * velocity[p][d];
      }
  }
}

/* One nest after another: those before and after the independent loop stay ordered with it. */
static void ordered(int n)
{
#pragma dvm region independent(i)
  {
    for (int k = 0; k < n; k++)
      owner[k] = k * 3;
    for (int i = 0; i < n; i++)
      owner[order[i] % n] = owner[order[i] % n] + order[i];
    for (int k = 0; k < n; k++)
      count[k] += owner[n - 1 - k];
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *a = room(64 * 64 * 8), *b = room(64 * 64 * 8), *c = room(64 * 64 * 8);
  fill_double(a, 4096, 1), fill_double(b, 4096, 2), fill_double(&position[0][0], 192, 3);
  for (int i = 0; i < 64; i++)
    order[i] = i * 27 % 64;
  scatter(n, c, a);
  both(n, a, b, c);
  show("c", c, 4096 * 8);
  particles(n, 3);
  show("position", position, sizeof position);
  for (int i = 0; i < n; i++)
    order[i] = n - 1 - i;
  ordered(n);
  show("count", count, sizeof count);
  show("owner", owner, sizeof owner);
}
