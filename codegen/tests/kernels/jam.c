/* Free loops around chains: strips of the free loop run together through the chain, where all accesses find what they touch
 * in the cache lines of the step before or of a neighbour. */
#include "kernel.h"
#define N 41
static double P[N][N], Q[N][N], U[N][N], V[N][N], x[N], y[N], z[N];
static float f[N][N], wide[N][2 * N];
static int k[N][N];

static void fill(void)
{
  fill_double(&U[0][0], N * N, 1), fill_double(&V[0][0], N * N, 2), fill_double(&P[0][0], N * N, 3);
  fill_double(x, N, 4), fill_int(&k[0][0], N * N, 5);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      Q[i][j] = 0, f[i][j] = (float)(i * 3 + j), wide[i][j] = (float)(i - j), wide[i][N + j] = (float)(i + j);
}

/* Lines in both directions: elimination and substitution, down rows that the other array has as columns. */
static void lines(int n, int steps)
{
#pragma dvm region
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) {
      V[0][i] = 1.0;
      P[i][0] = 0.0;
      Q[i][0] = V[0][i];
      for (int j = 1; j < n - 1; j++) {
        P[i][j] = 0.25 / (P[i][j - 1] + 3.0);
        Q[i][j] = (U[j][i - 1] - U[j][i] + 0.5 * U[j][i + 1] - Q[i][j - 1]) / (P[i][j - 1] + 3.0);
      }
      V[n - 1][i] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        V[j][i] = P[i][j] * V[j + 1][i] + Q[i][j];
    }
    for (int i = 1; i < n - 1; i++) {
      for (int j = 1; j < n - 1; j++)
        P[i][j] = 0.5 / (P[i][j - 1] + 4.0);
      for (int j = n - 2; j >= 1; j--)
        U[i][j] = P[i][j] * U[i][j + 1] + V[i - 1][j] - V[i + 1][j];
    }
  }
}

/* Sums along rows of two matrices. */
static void sums(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    y[i] = 1.0;
    z[i] = 0.0;
    for (int j = 0; j < n; j++) {
      y[i] = U[i][j] * x[j] + y[i];
      z[i] = V[i][j] * x[j] + z[i];
    }
    z[i] = 3 * y[i] - z[i];
  }
}

/* A triangle; integers from the end; a chain over pairs of iterations. */
static void others(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 1; j < i; j++)
      f[i][j] = f[i][j - 1] * 0.5f + f[j][i];
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = n - 2; j >= 0; j--)
      k[i][j] ^= k[i][j + 1] >> 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 2; j < n; j++)
      P[i][j] = P[i][j - 2] * 0.5 + 1 / (2 + P[i][j] * P[i][j]);
}

/* Not in strips: each step of the chain, and each neighbour, has a cache line of its own. */
static void apart(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      f[i][j] = f[i][j - 1] * 0.5f + wide[j][2 * i];
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  n = n < N ? n : N;
  fill();
  lines(n, 3);
  sums(n);
  others(n);
  apart(n);
  show("P", P, sizeof P), show("Q", Q, sizeof Q), show("U", U, sizeof U), show("V", V, sizeof V);
  show("y", y, sizeof y), show("z", z, sizeof z), show("f", f, sizeof f), show("k", k, sizeof k);
}
