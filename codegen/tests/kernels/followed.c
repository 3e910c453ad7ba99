/* stays sequential: 5 */
#include "kernel.h"
#include <sys/mman.h>
/* Sizes behind pointers that the loops read under conditions of the data: the tiles may read them at entry where the
   function has certainly read them before, and nothing since can have taken them away. */
static int rank_two(int *m, int *n, int *lda, int *inc, double *alpha, double *beta, double *c, double *x, double *y)
{
  int c_dim1 = *lda, i__, j, i__1, i__2, jx = 1;
  double temp;
  c -= 1 + c_dim1;
  --x;
  --y;
  if (*m == 0 || *n == 0 || ((*alpha == 0. || *inc < 1) && *beta == 1.))
    return 0;
  if (*inc == 0)
    return 1;
  i__1 = *n;
#pragma dvm region
  for (j = 1; j <= i__1; ++j) {
    if (*beta == 0.) {
      i__2 = *m;
      for (i__ = 1; i__ <= i__2; ++i__)
        c[i__ + j * c_dim1] = 0.;
    } else if (*beta != 1.) {
      i__2 = *m;
      for (i__ = 1; i__ <= i__2; ++i__)
        c[i__ + j * c_dim1] = *beta * c[i__ + j * c_dim1];
    }
  }
#pragma dvm region
  for (j = 1; j <= i__1; ++j) {
    if (x[jx] != 0.) {
      temp = *alpha * x[jx];
      i__2 = *m;
      for (i__ = 1; i__ <= i__2; ++i__)
        c[i__ + j * c_dim1] += temp * y[i__];
    }
    jx += *inc;
  }
  return 2;
}
struct size { int n, m; };
static int *lent;
static void give_back(void) { munmap(lent, 4096); }
/* What is gone, or never was there, is not read: no `a[i]` is above 1000. */
static void gone(int n, double *restrict a, double *restrict b, int *p, int *q, struct size *s, int way)
{
  double sum = 0;
  if (n > 0)
    sum += *p;
  give_back();
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (a[i] > 1000)
      for (int j = 0; j < *p; j++)
        b[i * 4 + j] = 1;
  sum += way ? *q : 0;
  q = 0;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (a[i] > 1000)
      for (int j = 0; j < *q; j++)
        b[i * 4 + j] = 1;
  if (way)
    goto past;
  sum += s->n;
past:
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (a[i] > 1000)
      for (int j = 0; j < s->m; j++)
        b[i * 4 + j] = 1;
  if (way && s)
    sum += s->n;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (a[i] > 1000)
      for (int j = 0; j < s->m; j++)
        b[i * 4 + j] = 1;
  sum += sizeof s->n;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (a[i] > 1000)
      for (int j = 0; j < s->m; j++)
        b[i * 4 + j] = 1;
  show("sum", &sum, sizeof sum);
}
static void there(int n, double *restrict a, double (*restrict b)[5], struct size *s, int *p)
{
  if (!(s->n > 0 && *p))
    return;
  for (int k = 0; k < 2; k++) {
#pragma dvm region
    for (int i = 0; i < n; i++)
      if (a[i] > 0)
        for (int j = 0; j < s->m + *p; j++)
          b[i][j] = a[i] + j;
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11), m = n > 2 ? n - 2 : 1, lda = n + 1, got;
  double *c = room((size_t)(n + 2) * (n + 2) * 8), *x = room(400 * 8), *y = room(400 * 8);
  double factors[3] = { 0., 1., -2. };
  fill_double(c, (long)(n + 2) * (n + 2), 1);
  fill_double(x, 400, 2);
  fill_double(y, 400, 3);
  for (int k = 0; k < 9; k++) {
    int inc = k % 4 ? k % 4 : -1;
    if (inc < 0)
      got = rank_two(&m, &n, &lda, &inc, factors + k % 3, factors + k / 3, c, x + n, y);
    else
      got = rank_two(&m, &n, &lda, &inc, factors + k % 3, factors + k / 3, c, x, y);
    show("c", c, (size_t)(n + 2) * (n + 2) * 8);
    printf("%d\n", got);
  }
  /* What the loops write may be a factor, or a size. */
  rank_two(&m, &n, &lda, &m, c + 1, y, c, x, y);
  show("c", c, (size_t)(n + 2) * (n + 2) * 8);
  lent = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *lent = 3;
  struct size s = { n % 4, 2 };
  gone(n, x, y, lent, &n, n % 2 ? 0 : &s, n % 2);
  int p = n % 3;
  there(n, x, (double (*)[5])y, &s, &p);
  show("y", y, 400 * 8);
}
