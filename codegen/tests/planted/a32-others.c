/* Two updates of the same elements take turns. */
#include <stdio.h>
static unsigned a[40][40], b[40][40], c[40][40];
int main(void)
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      a[i][j] = i + 2 * j % 5, b[i][j] = i * j % 7 + 1, c[i][j] = i + j;
#pragma dvm region
  for (int i = 0; i < 40; i++)
    for (int k = 0; k < 40; k++)
      for (int j = 0; j < 40; j++) {
        c[i][j] += a[i][k] * b[k][j];
        c[i][j] *= b[k][j];
      }
  for (int i = 0; i < 40; i++)
    printf("%u %u\n", c[i][0], c[i][39]);
}
