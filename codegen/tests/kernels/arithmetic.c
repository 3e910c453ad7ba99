#include "kernel.h"
#include <fenv.h>
#include <float.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#else
#define _mm_getcsr() 0
#define _mm_setcsr(word) (void)(word)
#endif
#pragma GCC visibility push(hidden)
#pragma pack(1)
/* Regions in another way of rounding, and with tiny numbers that count as zero: set by who calls. */
static void divide(int n, double *restrict a, float *restrict f, long double *restrict l)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] = a[i] / 3 + 0.1;
    f[i] = f[i] / 7;
    l[i] = l[i] / 3;
  }
}

static void shrink(int n, double *restrict a, float *restrict f)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * 1e-30;
    f[i] = f[i] * 1e-30f;
  }
}

static void sweep(int n, double *restrict a)
{
#pragma dvm region
  for (int t = 0; t < 4; t++)
    for (int i = 1; i + 1 < n; i++)
      a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

static void nearest(int n, const double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    b[i] = __builtin_nearbyint(a[i]) + __builtin_rint(a[i] / 2);
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  double *a = room((n + 1) * sizeof *a), *b = room((n + 1) * sizeof *b);
  float *f = room((n + 1) * sizeof *f);
  long double *l = room((n + 1) * sizeof *l);
  static const int ways[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  for (int way = 0; way < 4; way++) {
    fill_double(a, n, way);
    for (int i = 0; i < n; i++) {
      f[i] = (float)(i + 1);
      l[i] = i - n / 2 + 0.25L;
    }
    if (fesetround(ways[way]) != 0)
      return 8;
    divide(n, a, f, l);
    sweep(n, a);
    nearest(n, a, b);
    if (fegetround() != ways[way])
      return 7;
    fesetround(FE_TONEAREST);
    show("a", a, (n + 1) * sizeof *a);
    show("b", b, (n + 1) * sizeof *b);
    show("f", f, (n + 1) * sizeof *f);
    for (int i = 0; i < n; i++)
      printf("%La\n", l[i]);
  }
  const unsigned before = _mm_getcsr();
  for (unsigned tiny = 0; tiny < 4; tiny++) {
    for (int i = 0; i < n; i++) {
      a[i] = i % 2 ? i * DBL_MIN : i * 4.9e-324;
      f[i] = i % 2 ? (float)i * 1e-15f : (float)i * 1e-44f;
    }
    _mm_setcsr(before | (tiny & 1 ? 0x8000u : 0) | (tiny & 2 ? 0x40u : 0)); /* to zero; from zero */
    shrink(n, a, f);
    _mm_setcsr(before);
    show("a", a, (n + 1) * sizeof *a);
    show("f", f, (n + 1) * sizeof *f);
  }
  /* Where a division may trap, the loops stay in this thread; nothing traps here. */
  _mm_setcsr(before & ~0x200u);
  fill_double(a, n, 5);
  divide(n, a, f, l);
  _mm_setcsr(before);
  show("a", a, (n + 1) * sizeof *a);
}
