/* In each round a column is divided, then the ones after it take from it, then from what they were: three statements
 * that read each other in one round, and wait for the round before. */
#include <stdio.h>
static double a[40][40], r[40][40], q[40][40];

int main(void)
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      a[i][j] = (i * 7 + j * 3) % 11;
#pragma dvm region
  for (int k = 0; k < 40; k++) {
    for (int i = 0; i < 40; i++)
      q[i][k] = a[i][k] / 16;
    for (int j = k + 1; j < 40; j++) {
      for (int i = 0; i < 40; i++)
        r[k][j] += q[i][k] * a[i][j];
      for (int i = 0; i < 40; i++)
        a[i][j] = a[i][j] - q[i][k] * r[k][j];
    }
  }
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      printf("%g %g\n", a[i][j], r[i][j]);
}
