/* Each element takes from the one before it, by a scalar that an inner loop changes: vectors would read old values. */
#include <stdio.h>
static double a[40][40], w[3] = {.5, .25, .125};

int main(void)
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      a[i][j] = (i * 7 + j * 3) % 11;
#pragma dvm region
  for (int i = 0; i < 40; i++)
    for (int j = 1; j < 39; j++) {
      double s = 0;
      for (int k = 0; k < 3; k++)
        s += a[i][j + k - 1] * w[k];
      a[i][j] = s;
    }
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      printf("%g\n", a[i][j]);
}
