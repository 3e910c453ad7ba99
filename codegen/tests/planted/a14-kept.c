/* The region overwrites a factor that it reads at entry. */
#include <stdio.h>
struct grid { double factor, *a; };
static void set(struct grid *g, int m)
{
#pragma dvm region
  for (int i = m - 1; i >= 0; i--)
    g->a[i] = g->factor + i + 1;
}
int main(void)
{
  static double all[40];
  struct grid g = { 1, all };
  set(&g, 40);
  struct { double a[4]; struct grid g; } both = { { 0 }, { 2, 0 } };
  both.g.a = both.a;
  set(&both.g, 5);
  printf("%g %g %g\n", all[39], both.a[3], both.g.factor);
}
