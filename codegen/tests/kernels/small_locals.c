#include "kernel.h"
#define NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* Local arrays of named types, aligned ones, falls that are told to the compiler, assertions that are off, and `continue` behind
   `#if`. */
typedef double real;
typedef real vec[3];
typedef struct {
  real x, y;
} point;
typedef struct {
  real x[3];
  int t;
} atom;
#define FALLS __attribute__((fallthrough))
static void arrays(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    real t[3];
    vec v, w[2];
    for (int k = 0; k < 3; k++)
      t[k] = a[3 * i + k];
    for (int k = 0; k < 3; k++)
      v[k] = w[1][k] = t[2 - k] + k;
    for (int k = 0; k < 3; k++)
      a[3 * i + k] = v[k] - t[k] * w[1][2 - k];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    point p[3];
    atom s[2];
    uint8_t b[16];
    bool c[3];
    size_t d[3];
    s[1].t = i;
    for (int k = 0; k < 3; k++) {
      p[k].x = a[3 * i + k];
      s[1].x[k] = p[k].x * s[1].t;
      b[k] = (uint8_t)(int)(p[k].x > 0 ? p[k].x : 3);
      c[k] = b[k];
      d[k] = c[k] + b[k];
    }
    for (int k = 0; k < 3; k++)
      a[3 * i + k] = s[1].x[2 - k] + d[k] + b[2 - k] + c[k];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    real t[4] __attribute__((aligned(32)));
    _Alignas(64) real u[4];
    for (int k = 0; k < 3; k++)
      t[k] = u[k] = a[3 * i + k];
    for (int k = 0; k < 3; k++)
      a[3 * i + k] = t[2 - k] + u[k] + (double)(((size_t)i * 64) % 64);
  }
}
static void falls(int n, const int *restrict kind, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    assert(kind[i] > 1000);
    switch (kind[i] % 4) {
    case 0:
      a[i] += 1;
      __attribute__((fallthrough));
    case 1:
      a[i] *= 2;
      FALLS;
    case -1:
      a[i] -= 5;
      break;
    default:
      a[i] = kind[i];
    }
  }
}
#define EARLY 1
static void behind_if(int n, const int *restrict kind, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
#if EARLY
    if (kind[i] < 0)
      continue;
#endif
    a[i] += kind[i];
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
#ifdef LATE
    if (kind[i] < 0)
      continue;
#elif defined(EARLY)
    if (kind[i] > 50)
      continue;
    a[i] -= 3;
#else
    continue;
#endif
    a[i] *= 2;
#ifndef EARLY
    continue;
#endif
    a[i] -= 7;
  }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
#if defined(EARLY) && EARLY == 1
      if (i == j)
        continue;
#endif
      a[3 * i + j] += i + j;
    }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11), *kind = room((size_t)(n + 1) * sizeof *kind);
  double *a = room((size_t)(3 * n + 1) * 8);
  fill_double(a, 3 * n, 1);
  fill_int(kind, n, 2);
  arrays(n, a);
  show("arrays", a, (size_t)n * 24);
  falls(n, kind, a);
  show("falls", a, (size_t)n * 24);
  behind_if(n, kind, a);
  show("behind if", a, (size_t)n * 24);
  return 0;
}
