#include <stdio.h>
/* Products of unsigned long wrap around: their order is not that of the numbers. */
static int a[400], b[400];
static void f(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if ((unsigned long)i * 1152921504606846976ul < 4000000000000000000ul)
      a[i] += 1;
#pragma dvm region
  for (unsigned i = 0; i < 300; i++)
    if (i * 100000000000000003ul + 7ul >= 5000000000000000000ul)
      b[i] += 2;
}
int main(void)
{
  f(300);
  for (int i = 0; i < 400; i++)
    printf("%d %d\n", a[i], b[i]);
}
