/* A static number is read where the syntax tree does not name it: by the length of an array. */
#include <stdio.h>
static int k;
static double a[300], b[300];
static unsigned long length(void)
{
  double v[k];
  return sizeof v;
}
int main(void)
{
  int i;
  for (i = 0; i < 300; i++)
    a[i] = i % 13;
  k = 1;
#pragma dvm region
  for (i = 0; i < 300; i++) {
    k = (int)a[i] + 3;
    b[i] = k * 2;
  }
  printf("%lu\n", length());
  for (i = 0; i < 300; i++)
    printf("%g\n", b[i]);
}
