#include <stdio.h>
#include <stdlib.h>
/* q is based on the restrict parameter p, and may overlap it. */
static void next(int n, double *restrict p)
{
  double *q = p + 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = p[i] * 0.5 + 1;
}
int main(void)
{
  double a[201];
  for (int i = 0; i < 201; i++)
    a[i] = i % 7;
  next(200, a);
  for (int i = 0; i < 201; i++)
    printf("%g\n", a[i]);
}
