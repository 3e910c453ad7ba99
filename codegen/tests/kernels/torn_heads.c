#include "kernel.h"
/* Conditionals whose branches hold a part of a loop each: before the marked loop, inside it, nested, and without tokens. */
#define CHOICE 2

static double a[40][40], b[40][40];

static void before(int n)
{
  int i, j;
#pragma dvm region
#if defined(_OPENMP)
  for (i = n - 1; i >= 0; i--) {
    for (j = n - 1; j >= 0; j--) {
#else
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) { /* "#endif" */
#endif
      b[i][j] = a[i][j] * 2;
      b[i][j] += i;
    }
  }
}

static void inside(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
#if CHOICE == 1
    for (int j = i; j < n; j++)
#elif CHOICE == 2 /* this one: \
#else */
# ifdef NEVER
    for (int j = 1; j < n - 1; j++)
# else
    for (int j = 0; j < n; j++)
# endif
#elif CHOICE == 3
#define MORE 5
    for (int j = 0; j < n + MORE; j++)
#else
#error "no choice"
#endif
      b[i][j] += 3 * a[i][j];
  }
}

static void twice(int n)
{
#ifdef NEVER
  if (n > 3) {
#endif
#pragma dvm region
    for (int i = 1; i < n; i++) {
#ifndef NEVER
      for (int j = 0; j < n; j++) {
        a[i][j] += b[i - 1][j];
#ifdef NEVER
      }
      for (int j = 0; j < n; j++) {
#endif
        b[i][j] -= a[i][j] / 4;
      }
#endif
    }
#pragma dvm region
#ifdef NEVER
    for (int i = 0; i < n; i++)
#endif
      for (int j = 0; j < n; j++)
        a[n][j] = b[n / 2][j];
#ifdef NEVER
  }
#endif
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 9;
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      a[i][j] = (i * 5 + j * 3) % 11;
  before(n);
  inside(n);
  twice(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  return 0;
}
