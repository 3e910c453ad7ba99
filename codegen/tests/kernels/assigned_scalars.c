/* stays sequential: 2 regions whose values of a scalar are used afterwards */
#include "kernel.h"
/* Integer scalars that the region assigns and uses in subscripts and bounds. */
static double store[64 * 64];
static double field[80][8];
static int which[64];

static void rows(int rows, int cols, double *restrict a, const double *restrict b)
{
  int i, j, k, im1, ip1, off;
#pragma dvm region
  for (i = 1; i < rows - 1; i++) {
    im1 = i - 1;
    ip1 = i + 1;
    off = i * cols;
    for (j = 0; j < cols; j++) {
      k = off + j;
      a[k] = b[im1 * cols + j] + b[ip1 * cols + j] - b[k];
    }
  }
}

/* As translated from Fortran: bounds are assigned before each loop. */
static void packed(int *n, double *a, double *x)
{
  int i__1, i__2, i__3, i__, j, a_dim1 = *n;
  --x;
  a -= 1 + a_dim1;
#pragma dvm region
  {
    i__1 = a_dim1;
    for (j = 1; j <= i__1; ++j) {
      i__2 = j;
      i__3 = j + j * a_dim1;
      for (i__ = 1; i__ <= i__2; ++i__)
        a[i__ + j * a_dim1] += x[i__] * 2;
      a[i__3] += 1;
    }
  }
}

/* A second assignment, updates, branches, and a value that survives a statement. */
static void changing(int n, double *restrict a)
{
  int k, m, u;
  double t;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    k = i;
    field[k][0] = field[k][0] + a[i];
    k += 2;
    field[k][1] = field[i][4] * 2;
    k--;
    field[k][2] = k;
    k = 2 * k;
    field[k][3] = 3;
    if (a[i] > 0) {
      m = i + 4;
      t = field[m][5] * 2;
      m = m + 1;
      field[m][6] = t;
    } else {
      m = i + 5;
      field[m][6] = m;
    }
    if (i > 3) {
      u = 12 / (i - 3);
      field[i][7] = u;
    }
  }
}

/* The value comes from memory that the region only reads. */
static void gathered(int n, double *a)
{
  int c, len;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    c = which[i];
    len = n - i;
    for (int j = 0; j < len; j++)
      store[i * 64 + j] += a[j] * c;
  }
}

/* A value that is used afterwards, one that another turn of the loop left, and one that hides a name. */
static int kept(int n, double *a)
{
  int k = 5, last = 3;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    k = i + 2;
    a[i] += k;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] += last;
    last = i;
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int m;
    m = 2 * i;
    for (int j = 0; j < n; j++) {
      int k = m + j;
      a[i] += k;
    }
  }
  return k + last;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  double *a = room(64 * 64 * 8), *b = room(64 * 64 * 8);
  fill_double(a, 64 * 64, 1);
  fill_double(b, 64 * 64, 2);
  fill_double(store, 64 * 64, 3);
  fill_double(&field[0][0], 80 * 8, 5);
  fill_int(which, 64, 4);
  rows(n, 9, a, b);
  rows(9, n, a, b);
  packed(&n, a, b);
  changing(n, a);
  gathered(n, a);
  printf("%d\n", kept(n, b));
  show("a", a, 64 * 64 * 8);
  show("b", b, 64 * 64 * 8);
  show("store", store, sizeof store);
  show("field", field, sizeof field);
}
