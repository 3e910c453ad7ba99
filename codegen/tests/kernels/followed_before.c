/* stays sequential: 4 regions of 5, where the pointers may not have been followed. Sizes behind pointers that the loops follow only where data say so. The function followed some of them before the
 * region in any case; the others are null, or what they point to is gone. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static double a[64][64], b[64];
struct size { int before, length; };
static void certain(const int *n, const int *m, const int *k, const struct size *s, const int *few)
{
  int i, j, last;
  if (*n == 0 || !(*m > 0) || (*k == 1 && few)) return;
  if (s->before > 1 && *few > 2) a[0][0] = 1;
#pragma dvm region
  for (j = 0; j < *n; ++j)
    if (b[j] != 0.) {
      last = *m;
      for (i = 0; i < last; ++i) a[j][i] += b[j];
      for (i = *k; i < s->length; ++i) a[j][i] *= 0.5;
    }
}
static void perhaps(int n, int way, const int *m)
{
  int skipped = way && *m > 0;
  if (way > 1 && *m == 3) return;
#pragma dvm region
  for (int j = 0; j < n; ++j)
    if (b[j] > 100.)
      for (int i = 0; i < *m; ++i) a[j][i] += skipped;
    else
      a[j][0] -= 1;
}
static void jumped(int n, int way, const int *m)
{
  if (way) goto there;
  a[1][1] = *m;
there:;
#pragma dvm region
  for (int j = 0; j < n; ++j)
    if (b[j] > 100.)
      for (int i = 0; i < *m; ++i) a[j][i] += 2;
    else
      a[j][0] -= 1;
}
static int *page;
static void discard(void) { munmap(page, 4096); }
static void gone(int n, const int *m)
{
  a[1][2] = *m;
  discard();
#pragma dvm region
  for (int j = 0; j < n; ++j)
    if (b[j] > 100.)
      for (int i = 0; i < *m; ++i) a[j][i] += 2;
    else
      a[j][2] -= 1;
}
static void later(int n, const int *m)
{
  a[1][3] = *m;
  for (int t = 0; t < 3; t++) {
#pragma dvm region
    for (int j = 0; j < n; ++j)
      if (b[j] > 100.)
        for (int i = 0; i < *m; ++i) a[j][i] += 2;
      else
        a[j][3] -= t;
    if (t == 0) discard();
  }
}
static int *mapped(void)
{
  page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *page = 7;
  return page;
}
static double sum(void)
{
  double all = 0;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) all = all * 0.9999 + a[i][j];
  return all;
}
int main(void)
{
  const int n = 61, m = 50, k = 4, none = 0;
  const struct size s = { 1, 63 };
  for (int i = 0; i < 64; i++) b[i] = i % 3;
  certain(&n, &m, &k, &s, 0);
  printf("%.17g\n", sum());
  certain(&none, 0, 0, 0, 0);
  certain(&n, &none, 0, 0, 0);
  certain(&n, &k, &none, &s, &n);
  printf("%.17g\n", sum());
  perhaps(60, 0, 0);
  perhaps(59, 2, &n);
  jumped(40, 1, 0);
  jumped(50, 0, &n);
  gone(51, mapped());
  later(52, mapped());
  b[5] = 1000;
  perhaps(60, 1, &m);
  jumped(40, 1, &k);
  printf("%.17g\n", sum());
  return 0;
}
