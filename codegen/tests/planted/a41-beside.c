/* A variable in a loop's header begins with the counter's first value, not with the value of each iteration. */
#include <stdio.h>
static void shift(int n, double *restrict a, const double *restrict b)
{
  int j, k;
#pragma dvm region
  for (int i = 0; i < 4; i++)
    for (j = 3, k = j; j < n; j++, k++)
      a[i * 100 + k] = b[j];
}
int main(void)
{
  static double a[400], b[40];
  for (int i = 0; i < 40; i++)
    b[i] = i + 1;
  shift(30, a, b);
  for (int i = 0; i < 400; i++)
    printf("%g ", a[i]);
}
