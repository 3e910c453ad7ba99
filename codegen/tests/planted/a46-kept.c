/* What is read at entry stays as it is, also where the iterations are independent of each other. */
#include <stdio.h>
struct grid { int n; };
static void use(struct grid *g, struct grid **h, int n, double *x)
{
#pragma dvm region independent
  for (int i = 0; i < n; i++) {
    h[i]->n = 3;
    for (int j = 0; j < g->n; j++)
      x[i] += j;
  }
}
int main(void)
{
  struct grid all[2] = { { 6 }, { 5 } }, *one[1] = { all }, *two[2] = { all, all + 1 }, apart = { 4 };
  double x[2] = { 0 };
  use(all, one, 1, x);
  use(&apart, two, 2, x);
  printf("%g %g\n", x[0], x[1]);
}
