/* A macro has the name of a member that is read at entry: there it would act a second time. */
#include <stdio.h>
struct grid { int last; };
#define last last + 1
static void set(const struct grid *g, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < g->last; i++)
    a[i] = i;
}
int main(void)
{
  int a[40] = { 0 };
  struct grid g = { 20 };
  set(&g, a);
  printf("%d %d\n", a[20], a[21]);
}
