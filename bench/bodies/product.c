/* A matrix product: ORDER is the order of its loops, TYPE that of its numbers. */
#include "bodies.h"
#define MAKE(type) NUMBERS(type)
#define PASTED(type) numbers_##type
#define OF(type) PASTED(type)
MAKE(TYPE)
#define LOOP(x) for (int x = 0; x < n; x++)
#define ijk LOOP(i) LOOP(j) LOOP(k)
#define jik LOOP(j) LOOP(i) LOOP(k)
#define jki LOOP(j) LOOP(k) LOOP(i)
#define kij LOOP(k) LOOP(i) LOOP(j)
#define kji LOOP(k) LOOP(j) LOOP(i)
#define ikj LOOP(i) LOOP(k) LOOP(j)

static void product(int n, TYPE (*restrict c)[n], TYPE (*restrict a)[n], TYPE (*restrict b)[n])
{
#pragma dvm region
  ORDER c[i][j] += a[i][k] * b[k][j];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1), passes = argument(argc, argv, 2);
  size_t all = (size_t)n * n;
  TYPE *a = OF(TYPE)(all, 1), *b = OF(TYPE)(all, 2), *c = OF(TYPE)(all, 3);
  PASSES(passes, product(n, (void *)c, (void *)a, (void *)b))
  RESULT(c, all * sizeof *c, 2.0 * all * n, 4.0 * all * sizeof *c);
}
