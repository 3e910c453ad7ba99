#include "kernel.h"
#include <math.h>
/* Functions of the file that get arrays: their bodies tell what they read and write. */
#define N 40
typedef double block[3][3];
static block lhs[N][N], jac[N][N];
static double rhs[N][N][3], scale[3] = { 2, 0.5, 0.25 };
static int shift = 1;

static void matvec_sub(double ab[3][3], const double av[3], double bv[3])
{
  int i;
  for (i = 0; i < 3; i++) {
    bv[i] = bv[i] - ab[i][0] * av[0] - ab[i][1] * av[1];
    for (int k = 2; k < 3; k++)
      bv[i] -= ab[i][k] * av[k];
  }
}
static void matmul_sub(double (*a)[3], double b[3][3], double c[3][3])
{
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] -= sum;
    }
}
static double first(const double *v) { return v[0] * scale[shift]; }
static void scaled(double *v, int at, double by)
{
  double *next = v + 1;
  int k = at + shift;
  if (by > 0)
    v[k - shift] *= by;
  next[at - 1] += first(v);
}
static void both(block a, block b, double *x, double *y)
{
  matmul_sub(a, a, b);
  matvec_sub(b, x, y);
}
/* A recurrence along j, as block solvers have it. */
static void solve(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++) {
      matvec_sub(lhs[i][j], rhs[i][j - 1], rhs[i][j]);
      matmul_sub(lhs[i][j], jac[i][j - 1], jac[i][j]);
      scaled(rhs[i][j], 1, rhs[i][j - 1][2]);
    }
}
/* The same array twice, rows of an argument, and a result that is used. */
static void mixed(int n, double (*restrict p)[4], double *restrict q)
{
#pragma dvm region
  for (int t = 0; t < 3; t++)
    for (int i = 1; i < n - 1; i++) {
      scaled(p[i], 2, first(p[i - 1]));
      matvec_sub(lhs[0][i], &p[i + 1][1], p[i]);
      q[i] = first(q + i - 1) + first(&q[i + 1]);
    }
}
static void blocks(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) {
      double t[3] = { 1, j, i };
      both(lhs[i - 1][j], jac[i][j], t, rhs[i][j]);
      both(jac[i][j], lhs[i][j], rhs[i][j], rhs[i - 1][j]);
    }
}
static double row[N];
static void plus(double *out, int i, double x) { out[i] = out[i] / 2 + x; }
/* An index, and one array as both arguments. */
static void indexed(int n)
{
#pragma dvm region
  for (int t = 0; t < 3; t++)
    for (int i = 1; i < n; i++)
      plus(row, i, row[i - 1] + i);
}
/* The function names what the caller's pointer leads to. */
static double late(int i) { return row[i] / 2; }
static void doubted(int n, double *restrict q)
{
#pragma dvm region
  for (int t = 0; t < 2; t++)
    for (int i = 1; i < n; i++)
      q[i] = late(n - i) + q[i];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  double (*p)[4] = room(sizeof *p * (N + 1)), *q = room(8 * (N + 1));
  fill_double(&lhs[0][0][0][0], 9 * N * N, 1);
  fill_double(&jac[0][0][0][0], 9 * N * N, 2);
  fill_double(&rhs[0][0][0], 3 * N * N, 3);
  fill_double(&p[0][0], 4 * N, 4);
  fill_double(q, N, 5);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 9; k++)
        lhs[i][j][k / 3][k % 3] /= 256, jac[i][j][k / 3][k % 3] /= 256;
  solve(n);
  mixed(n, p, q);
  blocks(n);
  indexed(n);
  doubted(n, q);
  show("lhs", lhs, sizeof lhs);
  show("jac", jac, sizeof jac);
  show("rhs", rhs, sizeof rhs);
  show("p", p, sizeof *p * N);
  show("q", q, 8 * N);
  show("row", row, sizeof row);
}
