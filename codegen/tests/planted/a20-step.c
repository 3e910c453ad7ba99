/* A step that only the run knows, and that is not 1. */
#include <stdio.h>
static void add(int n, int step, int *a)
{
#pragma dvm region
  for (int i = 0; i < n; i += step)
    a[i] += i;
}
int main(void)
{
  int a[60] = { 0 };
  add(60, 1, a);
  add(60, 3, a);
  for (int i = 0; i < 60; i++)
    printf("%d\n", a[i]);
}
