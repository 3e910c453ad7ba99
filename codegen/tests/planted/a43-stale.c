/* In a function that a region calls: a variable that got a counter's value before the counter's loop. */
#include <stdio.h>
static void add(double *r)
{
  int e = 5;
  int t = e;
  for (e = 0; e < 2; e++)
    r[t] += 1 + e;
}
static void move(double *r)
{
  int e = 5;
  double *q = r + e;
  for (e = 0; e < 2; e++)
    q[0] += 1 + e;
}
static void rows(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[4 * i] += a[4 * i + 1];
    add(a + 4 * i);
  }
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[4 * i] += a[4 * i + 1];
    move(a + 4 * i);
  }
}
int main(void)
{
  static double a[200];
  for (int i = 0; i < 200; i++)
    a[i] = i + 1;
  rows(40, a);
  for (int i = 0; i < 200; i++)
    printf("%g ", a[i]);
}
