/* A static number holds what a called function has left there: the region's last value is read after the function's end. */
#include <stdio.h>
static double t;
static double a[300], b[300];
static void scale(int n)
{
  int i;
#pragma dvm region
  for (i = 0; i < n; i++) {
    t = a[i] * 3;
    b[i] = t + 1 / (t + 1);
  }
}
static double last(int n)
{
  t = 5;
  scale(n);
  return t;
}
int main(void)
{
  int i;
  for (i = 0; i < 300; i++)
    a[i] = i % 13;
  printf("%g %g\n", last(300), last(0));
  for (i = 0; i < 300; i++)
    printf("%g\n", b[i]);
}
