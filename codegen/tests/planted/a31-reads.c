/* Rows are added up in place: an iteration reads what others of its tile write. */
#include <stdio.h>
static unsigned b[40][40], c[40][40];
int main(void)
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      b[i][j] = i * j % 7 + 1, c[i][j] = i + 2 * j % 5;
#pragma dvm region
  for (int i = 0; i < 40; i++)
    for (int k = 0; k < 20; k++)
      for (int j = 10; j < 40; j++)
        c[i][j] += c[i][k] * b[k][j];
  for (int i = 0; i < 40; i++)
    printf("%u %u\n", c[i][0], c[i][39]);
}
