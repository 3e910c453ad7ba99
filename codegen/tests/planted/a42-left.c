/* A variable that got a counter's value before the counter's next loop does not follow it there. */
#include <stdio.h>
static void shift(int n, double *restrict a, const double *restrict b)
{
  int i = 2, k;
#pragma dvm region
  {
    k = i;
    for (; i < n; i++, k++)
      a[k] = b[i];
  }
}
static void sums(int n, double *restrict a, double *restrict b)
{
  int j;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (j = 0; j < 5; j++)
      b[8 * i + j] += 1;
    int t = j;
    for (j = 0; j < 2; j++)
      a[4 * i + t] += a[4 * i + j] + 1;
  }
}
int main(void)
{
  static double a[200], b[400];
  for (int i = 0; i < 200; i++)
    b[i] = i + 1;
  shift(30, a, b);
  sums(40, a, b);
  for (int i = 0; i < 200; i++)
    printf("%g ", a[i]);
}
