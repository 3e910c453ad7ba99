/* A product with a triangular matrix: some tiles are full, and some are not. */
#include <stdio.h>
static double a[40][40], b[40][40], c[40][40];
int main(void)
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      a[i][j] = i + 2 * j % 5, b[i][j] = i * j % 7;
#pragma dvm region
  for (int i = 0; i < 40; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; j < 40; j++)
        c[i][j] += a[i][k] * b[k][j];
  for (int i = 0; i < 40; i++)
    printf("%g %g\n", c[i][0], c[i][39]);
}
