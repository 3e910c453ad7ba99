/* Scalars that carry a value through an inner loop: blocks keep them in vectors. */
#include "kernel.h"
#define N 37
#define HALF(x) ((x) * .5)
static double A[N][N], B[N][N], C[N][N], y[N], z[N], gain, mask[3][3];
static float a[N][N], b[N][N], c[N][N];
static int ia[N][N], ib[N][N], ic[N][N];
static unsigned long ua[N][N], uc[N][N];

static void fill(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 3 + j * 5) % 11 / 8. - .5, B[i][j] = (i * 7 + j) % 5 / 4., C[i][j] = i - j;
      a[i][j] = A[i][j], b[i][j] = B[i][j], c[i][j] = C[i][j];
      ia[i][j] = (i + j) % 7, ib[i][j] = i * j % 5, ic[i][j] = i, ua[i][j] = i * j + 1, uc[i][j] = 3;
    }
  for (int i = 0; i < N; i++)
    y[i] = i % 7 - 3, z[i] = i;
  for (int i = 0; i < 9; i++)
    mask[i / 3][i % 3] = i / 3.;
}

/* Products: rows and vectors; a column of one operand lies apart; numbers of other types; no first value. */
static void products(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = -0.0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
  int i, j, k;
  float s, t;
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      s = c[i][j];
      t = 2;
      for (k = n - 1; k >= 0; k -= 2)
        s -= a[i][k] * b[j][k];
      c[i][j] = t * s + 1; /* the end */
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      register int s = 0, t;
      t = ib[j][i];
      for (int k = 0; k < n; k++) {
        s += ia[i][k] * ib[k][j]; // with a comment
        t -= ia[k][j] * 3;
      }
      ic[i][j] = s - t;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      unsigned long s = 1;
      for (int k = 0; k < 3; k++)
        for (int l = k; l <= k + 1; l++) {
          unsigned long u = ua[i][l] + ua[k][j];
          s *= u;
        }
      uc[i][j] += s;
    }
}

/* A triangle: the rows' bounds differ. The statement reads and writes one array. */
static void symmetric(int n, double alpha, double beta)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double t = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        t += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * t;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double t = HALF(B[i][j]);
      for (int k = 0; k < n - 1; k++)
        t += A[i][k] * HALF(B[k][j]) * k;
      A[j][i] = t;
    }
}

/* A filter down the columns, one along the rows, a mask, sums of rows; a number in a variable of the region. */
static void filters(int n, double p, double q)
{
#pragma dvm region
  for (int j = 0; j < n; j++) {
    double u = 0, v = 0;
    for (int i = 0; i < n; i++) {
      double x = A[i][j] * p + u * q - v;
      C[i][j] = x;
      v = u;
      u = x;
    }
  }
#pragma dvm region
  {
    gain = p / 3;
    for (int i = 0; i < n; i++) {
      double u = 0;
      for (int j = 0; j < n; j++) {
        B[i][j] = A[i][j] * gain + u;
        u = B[i][j] / 2;
      }
    }
  }
#pragma dvm region
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < n - 2; j++) {
      double s = 0;
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          s += mask[p][q] * A[i + p][j + q];
      C[i][j] = s;
    }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double s = 0, t = 0;
    for (int k = 0; k < n; k++)
      s += A[i][k] * y[k], t -= B[k][i];
    z[i] = s * t;
  }
}

/* In place: each column takes from those before it, each row from the one before it. */
static void before(int n)
{
#pragma dvm region
  for (int j = 1; j < n; j++)
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int k = 0; k < j; k++)
        s += A[i][k] * y[k];
      A[i][j] -= s / 64;
    }
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < 3; k++)
        s += B[i - 1][j] * mask[k][0];
      B[i][j] += s / 4;
    }
#pragma dvm region
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double s = 0;
      for (int k = 0; k < 3; k++)
        s += C[i][j + k - 1] * mask[k][1];
      C[i][j] = s / 8;
    }
}

/* Counters and scalars with the names of others. */
static void hidden(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int j = 0; j < 3; j++)
        s += A[i][j] * mask[0][j];
      C[i][j] += s;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double n = 1;
      for (int k = 0; k < 3; k++) {
        double s = n * A[k][j];
        {
          double n = s + 1;
          s -= n / 4;
        }
        n += s;
      }
      C[i][j] += n;
    }
}

/* Updates without rows: the vectors' loop is not the inner one. */
static void columns(int n)
{
#pragma dvm region
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      z[j] += A[k][j] * y[k];
#pragma dvm region
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++) {
      B[k][j] = 0;
      for (int i = 0; i < n; i++)
        B[k][j] += C[i][k] * A[i][j];
      for (int i = 0; i < n; i++)
        A[i][j] = A[i][j] - C[i][k] * B[k][j] / 512;
    }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  n = n < N ? n : N;
  fill();
  products(n);
  symmetric(n, 1.5, .5);
  filters(n, .25, .5);
  before(n);
  hidden(n);
  columns(n);
  show("A", A, sizeof A), show("B", B, sizeof B), show("C", C, sizeof C), show("c", c, sizeof c);
  show("ic", ic, sizeof ic), show("uc", uc, sizeof uc), show("z", z, sizeof z), show("gain", &gain, sizeof gain);
}
