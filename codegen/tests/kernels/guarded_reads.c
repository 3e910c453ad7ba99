/* Sizes and factors that the loops read under conditions that never change: pointers that such a condition keeps from
 * being followed may be null. */
#include <stdio.h>
#include <string.h>
static double c[40][40], weight;
static void scale(const int *m, const int *n, const double *beta, double *x, int length, const int *more)
{
  int i, j, last;
#pragma dvm region
  for (j = 0; j < *n; ++j) {
    if (*beta == 0.) {
      last = *m;
      for (i = 0; i < last; ++i) x[i + j * length] = 0.;
    } else if (*beta != 1. && *more > 0) {
      last = *m + *more;
      for (i = 0; i < last; ++i) x[i + j * length] *= *beta;
    }
  }
}
static void choose(int n, int by, const int *few, const int *many, double *x, int row)
{
#pragma dvm region
  for (int j = 0; j < n; j++) {
    if (by > 0 ? weight == 2.0 : 0)
      for (int i = 0; i < *few; i++) x[j * row + i] += 1;
    else if (by)
      for (int i = 1; i < *many; i++) x[j * row + i] += i;
    else
      x[j * row] = -1;
  }
}
static double sum(void)
{
  double all = 0;
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) all = all * 0.9995 + c[i][j];
  return all;
}
int main(void)
{
  const double factors[] = { 0, 1, 0.5, 3 };
  const int m = 31, n = 37, one = 2, none = 0;
  for (int k = 0; k < 4; k++)
    for (int flag = 0; flag < 2; flag++) {
      for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) c[i][j] = i * 3 - j;
      scale(factors[k] == 1 ? 0 : &m, &n, &factors[k], c[0], 40, flag ? &one : &none);
      printf("%.17g\n", sum());
      scale(0, &none, factors + k, c[0], 40, &none);
      /* The factor is an element that the loops write. */
      c[3][3] = factors[k];
      scale(&m, &n, &c[3][3], c[0], 40, &one);
      printf("%.17g\n", sum());
      weight = k;
      choose(35, flag * 2 - 1, k == 2 && flag ? &m : 0, flag && k == 2 ? 0 : &n, c[0], 40);
      printf("%.17g\n", sum());
      choose(30, 0, 0, 0, c[0], 40);
      weight = 2;
      choose(39, 1, &m, 0, c[0], 40);
      printf("%.17g\n", sum());
    }
  return 0;
}
