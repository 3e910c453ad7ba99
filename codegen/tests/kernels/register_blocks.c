/* Updates of elements that stay in registers: blocks of rows and vectors, in boxes of every shape. */
#include "kernel.h"
#define N 33
static double A[N][N], B[N][N], C[N][N], D[N][N];
static float a[N][N], b[N][N], c[N][N];
static int ia[N][N], ib[N][N], ic[N][N];
static double T4[3][3][11][30], U[3][3][5], V[5][11][30];
static double image[24][36], mask[3][3], blurred[20][32];

static void fill(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 3 + j * 5) % 11 / 8. + (i == j) * 4, B[i][j] = (i * 7 + j) % 5 / 4., C[i][j] = i - j, D[i][j] = i % 3;
      a[i][j] = A[i][j], b[i][j] = B[i][j], c[i][j] = C[i][j];
      ia[i][j] = (i + j) % 7, ib[i][j] = i * j % 5, ic[i][j] = i;
    }
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 36; j++)
      image[i][j] = (i * j) % 9 / 4.;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      mask[i][j] = i - j / 2.;
  fill_double(&U[0][0][0], sizeof U / sizeof(double), 1);
  fill_double(&V[0][0][0], sizeof V / sizeof(double), 2);
}

static void products(int n, double alpha)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= 0.5;
      for (int k = 0; k < n; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i][j] = c[i][j] - a[i][k] * (b[k][j] * 2);
#pragma dvm region
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++)
        ic[i][j] += -(ia[i][k] - ib[k][j]);
}

/* The elements of one operand lie apart. */
static void apart(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[j][k] + B[i][k] * A[j][k];
}

/* In place. */
static void factors(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

/* Other loops around a block, several serial loops in one, a scalar that is converted. */
static void others(int n)
{
#pragma dvm region
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 11; k++)
        for (int l = 0; l < 30; l++)
          for (int p = 0; p < 5; p++)
            T4[i][j][k][l] += U[i][j][p] * V[p][k][l];
#pragma dvm region
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 32; j++)
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          blurred[i][j] += n * image[i + p][j + q] * mask[p][q];
}

/* More operands whose elements lie apart than a part of the copies has steps. */
static void crowd(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        ic[i][j] +=
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] +
          ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k] + ib[j][k];
}

/* A conditional of the preprocessor begins in an operand and ends after it. */
static void torn_operand(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i]
#ifdef N
         [j]
#endif
            += A[i][k] * B[k][j];
}

/* No blocks: a step of two, a falling serial loop, elements that serve nothing else. */
static void without(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i += 2)
    for (int k = n - 1; k >= 0; k--)
      for (int j = 0; j < n; j++)
        D[i][j] = D[i][j] / 2 + A[i][k] * B[k][j];
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  n = n < N ? n : N;
  fill();
  products(n, 1.25);
  apart(n);
  crowd(n);
  torn_operand(n);
  factors(n);
  others(n);
  without(n);
  show("C", C, sizeof C), show("c", c, sizeof c), show("ic", ic, sizeof ic), show("A", A, sizeof A), show("D", D, sizeof D);
  show("T4", T4, sizeof T4), show("blurred", blurred, sizeof blurred);
}
