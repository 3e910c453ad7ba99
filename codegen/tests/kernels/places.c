#include "kernel.h"
__attribute__((const)) static double twice(double x) { return 2 * x; }
static double offset(double x) { return x + 0.5; }
static int
/* an old style of function, with a region in each branch */
choose(n, a, which)
  int n, which;
  double *a;
{
  int i;
  if (which)
#pragma dvm region pure(offset)
    for (i = 0; i < n; i++) a[i] = twice(a[i]) + offset(a[i]);
  else
#pragma dvm region serial(n < 10) \
    name(other)
    for (i = 0; i < n; i++) a[i] -= 1; while (which > 2) which--; return which;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 44);
  double *a = room(n * sizeof *a);
  fill_double(a, n, 1);
  for (int round = 0; round < 4; round++) {
    switch (round % 2) {
    case 0:
#pragma dvm region
    {
      for (int i = 0; i < n; i++)
        a[i] *= 1.5;
      ;
    }
    break;
    default: printf("%d\n", choose(n, a, round));
    }
    choose(n, a, 0);
  }
  show("a", a, n * sizeof *a);
}
