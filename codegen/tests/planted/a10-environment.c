#include <fenv.h>
#include <stdio.h>
/* The rounding mode that the function set holds in the tiles on other threads, too. */
static double a[202];
__attribute__((noinline)) static void f(int n, double third)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = (i + 1) * third / 7.0;
}
int main(void)
{
  fesetround(FE_UPWARD);
  f(200, 1.0 / 3);
  fesetround(FE_TONEAREST);
  for (int i = 0; i < 202; i++)
    printf("%a\n", a[i]);
}
