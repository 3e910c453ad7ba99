/* A scalar's value after the region depends on what is read at entry, which has no name there. */
#include <stdio.h>
struct grid { int n; };
static int count(const struct grid *g, int *restrict a, int n)
{
  int at = 4;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < g->n; j++) {
      a[i * 10 + j] = at;
      at++;
    }
  return at;
}
int main(void)
{
  struct grid g = { 2 };
  int a[40] = { 0 }, last = count(&g, a, 3);
  printf("%d %d\n", last, a[21]);
}
