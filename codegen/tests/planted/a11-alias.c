#include <stdio.h>
/* Two names of one storage. */
double table[202];
extern double other[202] __attribute__((alias("table")));
static void f(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    table[i] = other[i - 1] * 0.5 + i;
}
int main(void)
{
  for (int i = 0; i < 202; i++)
    table[i] = i % 7;
  f(200);
  for (int i = 0; i < 202; i++)
    printf("%g\n", table[i]);
}
