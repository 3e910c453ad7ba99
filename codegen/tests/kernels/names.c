#include "kernel.h"
static void work(int mod, int exists, double *restrict floor, double *restrict S0, double (*restrict T)[mod + 3])
{
#pragma dvm region
  for (int min = 0; min < mod; min++)
    for (int not = 0; not < exists; not++) {
      floor[min] += S0[not] * T[min][not];
      T[min][not + 1] = floor[min];
    }
#pragma dvm region
  for (int o0 = 1; o0 < mod; o0++)
    for (int c0 = 0; c0 < exists; c0++)
      for (int b0 = 0; b0 < 2; b0++)
        T[o0][c0] += T[o0 - b0][c0 + 1] + S0[c0 / 2];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 18), m = n + 1;
  double *a = room(m * sizeof *a), *b = room(m * sizeof *b), (*c)[n + 3] = room((n + 1) * sizeof *c);
  fill_double(a, m, 1);
  fill_double(b, m, 2);
  fill_double(c[0], (long)(n + 1) * (n + 3), 3);
  work(n, m, a, b, c);
  show("a", a, m * sizeof *a);
  show("c", c, (n + 1) * sizeof *c);
}
