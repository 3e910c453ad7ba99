/* stays sequential: 1 mark that the compiler does not see */
#include "kernel.h"
static double a[32], b[32];
static void f(int n)
{
#ifdef NO_TILES
#pragma omp parallel for
#else
#pragma dvm region
#endif
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 2;
#if !defined(NO_TILES)
#pragma dvm region tile(8)
#elif defined(OLD)
#pragma omp parallel
  for (int i = 0; i < n / 2; i++) /* not this one } */
#else
#pragma omp parallel for schedule(static)
#endif
  for (int i = 0; i < n; i++)
    b[i] = a[i] + b[i];
#pragma omp parallel for
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] + 1;
#pragma dvm region
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    b[i] = b[i] * 3;
#pragma dvm region
#ifdef NO_TILES
#pragma omp for
#endif
  {
    for (int i = 0; i < n; i++)
      a[i] = a[i] + b[i];
  }
#if 0
#pragma dvm region
#else
#pragma scop
#endif
  for (int i = 1; i < n; i++)
    a[i] = a[i] - b[i - 1];
#if 1
#pragma endscop
#endif
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  fill_double(a, 32, 1);
  fill_double(b, 32, 2);
  f(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
}
