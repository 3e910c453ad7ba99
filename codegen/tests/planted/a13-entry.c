/* A value behind a null pointer is read before the loops that never follow it. */
#include <stdio.h>
struct grid { int n; double *a; };
static void set(struct grid *g, int m)
{
#pragma dvm region
  for (int i = 0; i < m; i++)
    for (int j = 0; j < g->n; j++)
      g->a[i * 8 + j] = i + j;
}
int main(void)
{
  double a[64] = { 0 };
  struct grid g = { 8, a };
  set(&g, 8);
  set(0, 0);
  printf("%g\n", a[63]);
}
