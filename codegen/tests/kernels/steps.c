/* stays sequential: 1 */
#include "kernel.h"
/* Steps that only the run knows: the tiles run where they are 1, and the original loops otherwise. */
static int every;
static void forwards(int n, int step, double *a, double *b)
{
  int i, k = 0;
#pragma dvm region
  for (i = 0; i < n - step; i += step)
    a[i] = a[i + step] + b[i];
  printf("%d\n", i);
#pragma dvm region
  for (int j = n - 1; j >= 0; j -= step) {
    k += 2;
    b[j] += a[j] + k;
  }
#pragma dvm region
  for (int j = 0; j < n; j = step + j)
    for (long l = 0; l < n; l = l + every)
      if (j != l)
        a[j] += b[l];
}
static int fortran(int *n, int *incx, int *incy, double *x, double *y)
{
  int i__, i__1, i__2, iy = 1, nincx = *n * *incx;
  --x;
  --y;
  if (*incy < 0)
    iy = (1 - *n) * *incy + 1;
  i__1 = nincx;
  i__2 = *incx;
#pragma dvm region
  for (i__ = 1; i__2 < 0 ? i__ >= i__1 : i__ <= i__1; i__ += i__2) {
    y[iy] = 3 * x[i__] + y[iy];
    iy += *incy;
  }
#pragma dvm region
  for (i__ = 1; i__ <= *n; i__ += *incx)
    x[i__] = x[i__] * 2 + i__;
  return i__;
}
static void unsigned_step(unsigned n, unsigned step, unsigned short *restrict a)
{
#pragma dvm region
  for (unsigned i = 0; i < n; i += step)
    a[i] += i + step;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11);
  double *x = room(400 * 8), *y = room(400 * 8);
  unsigned short *u = room(80);
  fill_double(x, 400, 1);
  fill_double(y, 400, 2);
  for (int step = 1; step < 4; step++) {
    every = step == 3 ? 1 : step;
    forwards(n, step, x, y);
    forwards(n, step, x, x + step);
    show("x", x, 400 * 8);
    show("y", y, 400 * 8);
    for (int inc = -2; inc < 3; inc++) {
      if (inc == 0)
        continue;
      int one = step == 3 ? 1 : step;
      printf("%d\n", fortran(&n, &one, &inc, x, y));
      printf("%d\n", fortran(&n, inc > 0 ? &inc : &one, &one, x, y + 100));
      show("y", y, 400 * 8);
    }
    unsigned_step((unsigned)n, (unsigned)step, u);
    show("u", u, 80);
  }
}
