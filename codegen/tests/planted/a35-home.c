/* A scalar's last value goes into an element that the loop before reads: the element cannot hold the earlier ones. */
#include <stdio.h>
static double a[40][40];
int main(void)
{
  double w;
  int i, j, k;
  for (i = 0; i < 40; i++)
    for (j = 0; j < 40; j++)
      a[i][j] = i + 2 * j % 5;
#pragma dvm region
  for (i = 0; i < 40; i++)
    for (j = 0; j < 40; j++) {
      w = 1;
      for (k = 0; k <= j; k++)
        w += a[i][k] / 64;
      a[i][j] = w;
    }
  for (i = 0; i < 40; i++)
    printf("%g %g\n", a[i][0], a[i][39]);
}
