#include <stdio.h>
/* x[i][-1] is the last element of the row before. */
static double x[42][40];
static void f(int n, int k)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < 40; j++)
      x[i][j] = x[i][j + k] * 0.5 + x[i - 1][j];
}
int main(void)
{
  for (int i = 0; i < 42 * 40; i++)
    x[i / 40][i % 40] = i % 7;
  f(41, -1);
  for (int i = 0; i < 42 * 40; i++)
    printf("%g\n", x[i / 40][i % 40]);
}
