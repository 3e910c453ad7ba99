/* A small array of which each iteration writes what it reads, and whose last values are read after the region. */
#include <stdio.h>
static double a[300], b[300];
int main(void)
{
  double m[3] = {1, 2, 3};
  int i, k;
  for (i = 0; i < 300; i++)
    a[i] = i % 13;
#pragma dvm region
  for (i = 0; i < 300; i++) {
    for (k = 0; k < 3; k++)
      m[k] = a[i] + k;
    b[i] = m[0] * m[2] - m[1];
  }
  printf("%g %g %g\n", m[0], m[1], m[2]);
  for (i = 0; i < 300; i++)
    printf("%g\n", b[i]);
}
