#include "kernel.h"
/* Minima and maxima in all forms of updates. Values that are no numbers come first, or end a block: then the loop and the
   tree of blocks agree. */
#include <math.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static double a[9000], none[9000];
static float f[9000];

/* The value is a call, and the comparison decides. */
static double by_call(double most, int n, const double *v)
{
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++)
    if (fabs(v[i]) > most)
      most = fabs(v[i]);
  return most;
}

static float by_call_turned(float least, int n, const float *v)
{
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    least = sqrtf(v[i]) < least ? sqrtf(v[i]) : least;
  return least;
}

static double by_call_in_macro(double most, int n, const double *v)
{
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++)
    most = MAX(most, fabs(v[i]));
  return most;
}

/* The macros take the value where a side is no number. */
static double taken(double most, int n, const double *v)
{
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++)
    most = MAX(most, v[i]);
  return most;
}

static float taken_least(float least, int n, const float *v)
{
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    least = MIN(least, v[i]);
  return least;
}

/* These keep the variable. */
static double kept(double most, int n, const double *v)
{
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++)
    most = MAX(v[i], most);
  return most;
}

static double by_copy(double most, int n, const double *v, int turned)
{
  double c, d;
  if (turned) {
#pragma dvm region reduction(max:most)
    for (int i = 0; i < n; i++) {
      c = most, d = fabs(v[i]);
      most = MAX(d, c);
    }
  } else {
#pragma dvm region reduction(max:most)
    for (int i = 0; i < n; i++) {
      c = most, d = fabs(v[i]);
      most = MAX(c, d);
    }
  }
  return most;
}

/* Of zeros of both signs the last one is left, or the first. */
static double last_most(double most, int n, const double *v)
{
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++)
    if (v[i] >= most)
      most = v[i];
  return most;
}

static double first_most(double most, int n, const double *v)
{
#pragma dvm region reduction(max:most)
  for (int i = 0; i < n; i++)
    most = most >= v[i] ? most : v[i];
  return most;
}

static double last_least(double least, int n, const double *v)
{
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    least = v[i] <= least ? v[i] : least;
  return least;
}

static double first_least(double least, int n, const double *v)
{
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    least = v[i] < least ? v[i] : least;
  return least;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20) * 200;
  n = n < 9000 ? n : 9000;
  fill_double(a, 9000, 1);
  for (int i = 0; i < 9000; i++) {
    f[i] = (float)((i * 37) % 4001) + 1;
    none[i] = NAN;
  }
  printf("%a %a %a\n", by_call(0, n, a), by_call_turned(1e30f, n, f), by_call_in_macro(0, n, a));
  for (int k = 0; k < 3; k++) {
    const double first[] = { -1e300, NAN, 1e300 };
    printf("%a %a %a\n", taken(first[k], n, a), taken_least((float)first[k], n, f), kept(first[k], n, a));
    printf("%a %a\n", by_copy(first[k], n, a, 0), by_copy(first[k], n, a, 1));
    printf("%a %a\n", kept(first[k], n, none), taken(first[k], n, none));
  }
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 9000; i++)
      none[i] = i % 7 == 0 ? 0 * (i / 700 % 2 == k % 2 ? 1.0 : -1.0) : k < 2 ? -1 : 1;
    printf("%a %a %a %a\n", last_most(-5, n, none), first_most(-5, n, none), last_least(5, n, none), first_least(5, n, none));
    printf("%a %a\n", last_most(0, n, none), first_least(-0.0, n, none));
  }
  /* At the end of the first block of 1024. */
  a[1023] = NAN;
  f[1023] = NAN;
  printf("%a %a %a\n", taken(5, n, a), taken_least(5, n, f), by_copy(5, n, a, 0));
  printf("%a %a %a\n", kept(5, n, a), by_copy(5, n, a, 1), by_call(0, n, a));
  return 0;
}
