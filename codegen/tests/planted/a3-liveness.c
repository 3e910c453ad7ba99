#include <stdio.h>
/* What a region leaves in a scalar is read behind the `break` or the `continue` that follows. */
static double b[100];
static double left(int n, const double *restrict a)
{
  double s = 0;
  for (;;) {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    break;
  }
  return s;
}
static double chosen(int n, int way, const double *restrict a)
{
  double s = 5;
  switch (way) {
  case 1:
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] - 1;
      b[i] += s;
    }
    break;
  default:
    s = 7;
  }
  return s;
}
static double again(int n, const double *restrict a)
{
  double s = 1, total = 0;
  for (int round = 0; round < 3; round++) {
    total += s;
    if (round == 1) {
#pragma dvm region
      for (int i = 0; i < n; i++) {
        s = a[i] + 3;
        b[i] -= s;
      }
      continue;
    }
    s = round;
  }
  return total;
}
int main(void)
{
  double a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i % 7;
  printf("%g %g %g %g\n", left(100, a), chosen(80, 1, a), chosen(80, 2, a), again(90, a));
  for (int i = 0; i < 100; i++)
    printf("%g\n", b[i]);
}
