#include "kernel.h"
/* Subscripts and bounds that depend on data: what they read may be anywhere in its array. */
struct point {
  double weight;
  int next;
};
static double matrix[600], vector[64], result[64], rows[64][5];
static int column[600], first[65], key[64];
static struct point points[64];

/* A sparse matrix by rows: the inner loop's bounds are data. */
static void multiply(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; k++)
      sum += matrix[k] * vector[column[k]];
    result[i] = sum;
  }
}

/* Gathers and writes in turn: the writes wait for all gathers. */
static void relax(int n, int steps)
{
#pragma dvm region
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      result[i] = 0.5 * (vector[key[i]] + vector[i]) + points[key[i]].weight;
    for (int i = 0; i < n; i++)
      vector[i] = result[i];
  }
}

/* Through restrict pointers, a counter that the function declares, and a row that depends on data. */
static void through(int n, double *restrict to, const double *restrict from, const int *restrict index)
{
  int k;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    to[i] = 0;
    for (k = index[i]; k >= 0; k -= 2)
      to[i] += from[index[i]] * k + rows[index[i]][2] + rows[i][key[i] % 5];
    if (from[index[i]] > 3)
      to[i] += points[points[i].next].weight;
  }
}

/* The subscripts are no sums of counters: products, remainders, shifts. */
static void computed(int n, double *restrict to)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[i] += vector[(i * j) % 31] + vector[i >> 1] + rows[i][(i ^ j) & 3];
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *to = room(64 * 8), *from = room(64 * 8);
  fill_double(matrix, 600, 1), fill_double(vector, 64, 2), fill_double(&rows[0][0], 320, 3), fill_double(from, 64, 4);
  for (int i = 0; i < 64; i++) {
    key[i] = i * 29 % 64;
    first[i + 1] = first[i] + i % 7;
    points[i].weight = i * 0.25;
    points[i].next = key[63 - i];
  }
  for (int k = 0; k < 600; k++)
    column[k] = k * 37 % 64;
  multiply(n);
  show("result", result, sizeof result);
  relax(n, 4);
  show("vector", vector, sizeof vector);
  through(n, to, from, key);
  show("to", to, 64 * 8);
  computed(n, to);
  show("to", to, 64 * 8);
}
