#include "kernel.h"
#include <stddef.h>
/* Arrays of one dimension that are used as arrays of several: rows by symbolic lengths, known only at run time. */
#define IDX(i, j) ((i) * nx + (j))
#define IX(i, j) ((i) + (N + 2) * (j))
static double store[40 * 40 * 4];

static void smooth(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]) / 4;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i * n + j] = b[i * n + j];
  }
}

static void volume(int n, int m, int l, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        b[(i * m + j) * l + k] = a[(i * m + j) * l + k] + b[((i - 1) * m + (m - 1 - j)) * l + l - 1 - k];
}

/* Sizes without a sign: the products are computed modulo a power of two. */
static void unsigned_sizes(size_t nx, size_t ny, unsigned n, double *a, double *b)
{
#pragma dvm region
  for (size_t i = 1; i < ny; i++)
    for (size_t j = 0; j < nx; j++)
      b[IDX(i, j)] = a[IDX(i - 1, nx - 1 - j)];
#pragma dvm region
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[i * n + j] = b[j * n + i] + a[i * n + j];
}

/* By columns and from 1, as a translation from Fortran leaves it. */
static void rank_one(int *m, int *n, int *lda, double *a, double *x, double *y)
{
  int a_dim1 = *lda, a_offset = 1 + a_dim1, i__, j, i__1 = *n, i__2 = *m;
  a -= a_offset;
  --x;
  --y;
#pragma dvm region
  for (j = 1; j <= i__1; ++j)
    for (i__ = 1; i__ <= i__2; ++i__)
      a[i__ + j * a_dim1] += x[i__] * y[j];
}

static void fluid(int N, double *x, double *x0)
{
#pragma dvm region
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      x[IX(i, j)] = (x0[IX(i, j)] + x[IX(i - 1, j)] + x[IX(i + 1, j)] + x[IX(i, j - 1)] + x[IX(i, j + 1)]) / 4;
}

static void image(int w, int h, unsigned char *restrict from, unsigned char *restrict to)
{
#pragma dvm region
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 3; c++)
        to[(y * w + x) * 3 + c] = 255 - from[(y * w + w - 1 - x) * 3 + c];
}

static void eliminate(int size, int k, double *a)
{
#pragma dvm region
  for (int i = k + 1; i < size; i++)
    for (int j = k; j < size; j++)
      a[size * i + j] -= a[size * i + k] * a[size * k + j] / 64;
}

/* A window of a larger matrix, by a pointer to its row, and with a stride between the elements. */
static void window(int rows, int columns, int ld, int step, double *a, double *v)
{
#pragma dvm region
  for (int i = 0; i < rows; i++) {
    double *row = a + i * ld;
    for (int j = 0; j < columns; j++)
      row[j] = *(v + i * step) + 2 * row[j];
  }
}

/* The rows overlap if they are shorter than what is used of them: in their order each changes the next. */
static void shifted(int n, int ld)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      store[i * ld + j] = store[i * ld + j] * 0.5 + i + j;
}

struct cell {
  double x, y;
};
static void cells(int n, int m, struct cell *restrict c, const int *restrict sizes)
{
  const int plane = n * m;
#pragma dvm region
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        int at = k * n * m + i * m + j;
        c[at].x = c[at].y + sizes[0];
        c[at].y = at;
      }
#pragma dvm region
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < plane; i++)
      c[k * plane + i].x += 1;
#pragma dvm region
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++)
      c[k * (n * m) + i].x += 2;
}

/* Lengths that are expressions, first met in an access that does not name them. */
static void wide_rows(int n, int l, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < l; i++)
    b[i] = a[i] + a[i * (n + 1) + 1];
#pragma dvm region
  for (int i = 0; i < l; i++)
    for (int j = 0; j < l; j++) {
      a[i * (n + 1) + j] += a[j] * 0.5 + b[i * (n + 2) + j];
      b[i * (n + 2) + j] = j + b[j];
    }
#pragma dvm region
  for (int i = 0; i < l; i++)
    for (int j = 0; j < n + 2; j++)
      a[i * (n + 2) + j] = b[j] + b[i * (n + 1) + j];
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30), three = 3, lda;
  size_t room_of = 4 * 40 * 40;
  double *a = room(room_of * 8), *b = room(room_of * 8);
  struct cell *c = room(room_of * sizeof *c);
  fill_double(a, room_of, 1);
  fill_double(b, room_of, 2);
  fill_double(store, room_of, 3);
  smooth(n, a, b);
  volume(3, n, 4, a, b);
  volume(n, 3, 5, b, a);
  unsigned_sizes(n, 7, n, a, b);
  unsigned_sizes(6, n, 5, b + 2000, b);
  unsigned_sizes(6, n, 5, b + 3, b);
  lda = n;
  rank_one(&n, &three, &lda, a, b, b + 100);
  rank_one(&three, &n, &lda, a, b, b + 100);
  lda = n + 2;
  rank_one(&n, &n, &lda, a, b, b + 100);
  lda = 0;
  rank_one(&n, &n, &lda, a, b, b + 100);
  lda = -2;
  rank_one(&n, &n, &lda, a + 200, b, b + 100);
  fluid(n, a, b);
  image(n, 9, (unsigned char *)b, (unsigned char *)store);
  for (int k = 0; k < n; k += 5)
    eliminate(n, k, a);
  window(n, 7, 20, 2, a, b);
  window(n, 7, 3, 1, a, b);
  window(n, 9, -9, -1, a + 3000, b + 3000);
  shifted(n, n);
  shifted(n, n + 3);
  shifted(n, 2);
  shifted(n, 0);
  cells(n, 11, c, &n);
  cells(3, n, c, &n);
  wide_rows(n, n, a, b);
  wide_rows(n, 7, a, b);
  show("a", a, room_of * 8);
  show("b", b, room_of * 8);
  show("store", store, sizeof store);
  show("c", c, room_of * sizeof *c);
}
