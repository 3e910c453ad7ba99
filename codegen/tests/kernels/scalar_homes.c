/* stays sequential: 1 of them, whose element a counter chooses. Scalars whose last value goes into an element: the element
 * can hold the earlier ones where nothing else touches it. */
#include "kernel.h"
#define N 37
#define ZERO 0.0
#define NUMBER(x) x
#define FLOAT(x) x##f
static double A[N][N], B[N][N], b[N], x[N], y[N];
static float a[N][N], c[N][N];
static long L[N][N], l[N];

static void fill(void)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      A[i][j] = i == j ? N : (i * 3 + j * 5) % 11 / 8. - .5, B[i][j] = (i * 7 + j) % 5 / 4.;
      a[i][j] = A[i][j], c[i][j] = i - j, L[i][j] = i * j % 13 - 6;
    }
    b[i] = i % 7 - 3, y[i] = 1, x[i] = 2, l[i] = i;
  }
}

/* Factors and solutions with a scalar. */
static void solve(int n)
{
  int i, j, k;
  double w;
#pragma dvm region
  {
    for (i = 0; i < n; i++) {
      for (j = 0; j < i; j++) {
        w = A[i][j];
        for (k = 0; k < j; k++)
          w -= A[i][k] * A[k][j];
        A[i][j] = w / A[j][j];
      }
      for (j = i; j < n; j++) {
        w = A[i][j];
        for (k = 0; k < i; k++) {
          w -= A[i][k] * A[k][j];
        }
        A[i][j] = w;
      }
    }
    for (i = 0; i < n; i++) {
      w = b[i];
      for (j = 0; j < i; j++)
        w -= A[i][j] * y[j];
      y[i] = w;
    }
    for (i = n - 1; i >= 0; i--) {
      w = y[i];
      for (j = i + 1; j < n; j++)
        w -= A[i][j] * x[j];
      x[i] = w / A[i][i];
    }
  }
}

/* Numbers by macros, other types, the parts in parentheses. */
static void sums(int n)
{
  int i, j, k;
  double s;
  float t;
  long u;
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      s = ZERO;
      for (k = 0; k <= i; k++)
        s += A[i][k] * A[j][k];
      B[i][j] = (s);
    }
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      t = FLOAT(0.5);
      for (k = i; k < n; k++)
        t = t * a[i][k] - (t + a[k][j]);
      c[i][j] = -t;
    }
#pragma dvm region
  for (i = 0; i < n; i++) {
    u = (L[i][i]);
    for (j = 0; j < i; j++)
      for (k = 0; k < j; k++)
        u += L[j][k] ^ 0;
    for (j = 0; j < i; j++)
      u *= 3;
    L[i][i] = (u);
  }
}

/* The element is touched meanwhile, or is another one at the end; or the scalar's type is another one. */
static void touched(int n)
{
  int i, j, k;
  double w;
  float v;
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      w = NUMBER(1.5);
      for (k = 0; k <= j; k++)
        w += A[i][k] / 64;
      A[i][j] = w;
    }
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < i; j++) {
      w = B[i][j];
      for (k = 0; k < j; k++)
        w += A[i][k];
      B[i][j] = w * B[i][j] / 1024;
    }
#pragma dvm region
  for (i = 0; i < n; i++) {
    v = b[i];
    for (j = 0; j < i; j++)
      v += b[j] / 3;
    x[i] = v;
  }
#pragma dvm region
  for (i = 0; i < n; i++) {
    w = 1;
    for (j = 0; j < i; j++)
      w += B[i][j];
    b[j] = w;
  }
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      w = 0;
      for (k = 0; k < i; k++)
        w += B[k][j];
      if (w > 3)
        B[i][j] = w - 7;
    }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, N);
  n = n < N ? n : N - 1;
  fill();
  solve(n);
  sums(n);
  touched(n);
  show("A", A, sizeof A), show("B", B, sizeof B), show("b", b, sizeof b), show("x", x, sizeof x), show("y", y, sizeof y);
  show("c", c, sizeof c), show("L", L, sizeof L);
}
