#include <stdio.h>
/* The pure function reads what the region writes through a restrict pointer. */
static double table[202];
__attribute__((pure)) static double weight(int i) { return table[i]; }
static void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = weight(i + 1) + weight(i) * 0.5;
}
int main(void)
{
  for (int i = 0; i < 202; i++)
    table[i] = i % 7;
  f(200, table + 1);
  for (int i = 0; i < 202; i++)
    printf("%g\n", table[i]);
}
