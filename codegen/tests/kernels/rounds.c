/* A loop around several statements, which read in one round what others wrote in earlier ones: round by round, some of
 * the statements run as blocks. */
#include "kernel.h"
#define N 41
static double A[N][N], B[N][N], R[N][N], Q[N][N], X[N][N], norms[N];
static float a[N][N], b[N][N];
static unsigned u[N][N], v[N][N], flat[N * N];

static void fill(void)
{
  for (int i = 0; i < N; i++) {
    norms[i] = i % 3 + 1;
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 3 + j * 5) % 11 / 8. + (i == j) * 4, B[i][j] = (i * 7 + j) % 5 / 4., R[i][j] = Q[i][j] = 0;
      a[i][j] = A[i][j], b[i][j] = B[i][j], u[i][j] = i * 31 + j, v[i][j] = i ^ j, X[i][j] = i - j;
    }
  }
}

/* The columns become orthogonal to the one of the round; the sums run down the columns. */
static void orthogonal(int m, int n)
{
  int i, j, k;
#pragma dvm region
  for (k = 0; k < n; k++) {
    double length = 0;
    for (i = 0; i < m; i++)
      length += A[i][k] * A[i][k];
    R[k][k] = length + 1;
    for (i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (j = k + 1; j < n; j++) {
      R[k][j] = 0.0;
      for (i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

/* Factors of a matrix, by columns and by rows; then a solution for many right-hand sides, from the last row. */
static void factors(int n)
{
#pragma dvm region
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++)
      B[i][k] /= B[k][k] + 3;
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++)
        B[i][j] -= B[i][k] * B[k][j];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      double w = A[i][j];
      for (int k = 0; k < j; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w / (norms[j] + 2);
    }
    for (int j = i; j < n; j++) {
      double w = A[i][j];
      for (int k = 0; k < i; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
#pragma dvm region
  for (int i = n - 1; i >= 0; i--) {
    for (int c = 0; c < n; c++)
      for (int k = i + 1; k < n; k++)
        X[i][c] -= B[i][k] * X[k][c];
    for (int c = 0; c < n; c++)
      X[i][c] /= norms[i];
  }
}

/* Two loops around; other types; nothing to do in some rounds. */
static void others(int n, int steps)
{
#pragma dvm region
  for (int t = 0; t < steps; t++)
    for (int k = 1; k < n; k += 2) {
      for (int j = k; j < n; j++)
        for (int i = 0; i < n; i++)
          a[i][j] += b[i][k - 1] * a[k][j - k];
      for (int i = 3; i < n - 20; i++)
        b[i][k] = a[i][k] * .5f - b[i][k - 1];
    }
#pragma dvm region
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < k; i++)
        u[i][j] += v[i][k] * u[k][j];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        v[j][i] ^= u[i][k] + i;
  }
}

/* Some tiles have no instance of some statements, and rounds without ends; a chain runs through the middle. */
static void sparse(int n, int m)
{
#pragma dvm region
  for (int k = 0; k < n - 1; k++) {
    for (int j = 0; j < k; j++)
      for (int i = k + 1; i < n; i++)
        v[k][j] = v[k][j] + v[k][i] * u[i][j];
    for (int j = k; j < 17; j++) {
      unsigned s = u[j][j] - 3;
      for (int i = m - 3; i < n; i++) {
        s += s;
        s = 2 - s;
      }
      v[k][j] += s;
    }
    for (int j = 0; j < n - 1; j++)
      for (int i = 0; i < j; i++)
        flat[k * N + j] += (v[k][j] + 2) * (unsigned)k;
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++)
        v[k][j] = u[i][j] - v[i][j];
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  n = n < N ? n : N;
  fill();
  orthogonal(n / 2 + 3, n);
  factors(n);
  others(n, 3);
  if (n > 4)
    sparse(n, n - 1);
  show("A", A, sizeof A), show("B", B, sizeof B), show("R", R, sizeof R), show("Q", Q, sizeof Q), show("X", X, sizeof X);
  show("a", a, sizeof a), show("b", b, sizeof b), show("u", u, sizeof u), show("v", v, sizeof v);
  show("flat", flat, sizeof flat);
}
