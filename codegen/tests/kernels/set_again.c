#include "kernel.h"
/* Scalars with closed forms that a branch or an inner loop's statement sets before it uses them. */
#define N 40
static double a[N][N], x[N * 3 + 8], y[N * 3 + 8];

/* An update of a matrix, by two vectors with strides. */
static void update(int n, int incx, int incy)
{
  int ix, iy, jx = 1, jy = 2;
#pragma dvm region
  for (int j = 0; j < n; j++) {
    if (x[jx] > 0 || y[jy] < 10) {
      double t = x[jx] * 2, u = y[jy];
      ix = 1;
      iy = 2;
      for (int i = 0; i <= j; i++) {
        a[j][i] = a[j][i] + x[ix] * u + y[iy] * t;
        ix += incx;
        iy += incy;
      }
    }
    jx += incx;
    jy += incy;
  }
  printf("%d %d\n", jx, jy);
}

/* The same where strides are behind pointers: the first uses stand under a condition, the last one does not. */
static void behind(const int *n, const int *incx, const int *incy, int ld, double *p, double *q,
                   double *m)
{
  int ix, iy, jx = 1, jy = 2, last = *n;
#pragma dvm region
  for (int j = 0; j < last; j++) {
    if (p[jx] != 0) {
      double t = p[jx];
      ix = 1;
      iy = 2;
      for (int i = 0; i < last; i++) {
        m[i + j * ld] += p[ix] * t - q[iy];
        ix += *incx;
        iy += *incy;
      }
    }
    jx += *incx;
    jy += *incy;
  }
}

/* Sums by rows: the scalar is set outside of the inner loop, and the value after it is used. */
static void sums(int n, int incx, int incy)
{
  int ix, jy = 1, far = 0;
#pragma dvm region
  for (int j = 0; j < n; j++) {
    double t = 0;
    ix = j;
    for (int i = 0; i < n; i++) {
      t += a[i][j] * x[ix];
      ix += incx;
    }
    y[jy] += t + ix;
    jy += incy;
    far = far + 2;
  }
  printf("%d %d\n", jy, far);
}

/* The value of an earlier iteration, where the branch does not set it: no closed form. */
static int kept(int n)
{
  int k = 1;
  for (int i = 0; i < 1; i++)
    k += i;
#pragma dvm region
  for (int j = 0; j < n; j++) {
    if (x[j] > 0) {
      if (y[j] > 0)
        k = j;
      y[j] += k;
      k += 2;
    }
    x[j] *= 2;
  }
  return k;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30), one = 1, two = 2;
  fill_double(a[0], N * N, 1);
  fill_double(x, N * 3 + 8, 2);
  fill_double(y, N * 3 + 8, 3);
  update(n, 1, 1);
  update(n, 2, 1);
  update(n, 1, 2);
  behind(&n, &one, &two, N, x, y, a[0]);
  behind(&n, &two, &one, N, y, x, a[0]);
  sums(n, 1, 1);
  sums(n, 1, 2);
  printf("%d\n", kept(n));
  show("a", a, sizeof a);
  show("x", x, sizeof x);
  show("y", y, sizeof y);
  return 0;
}
