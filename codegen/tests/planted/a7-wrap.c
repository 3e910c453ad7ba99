#include <stdio.h>
/* Products of unsigned long wrap around: their quotients and remainders are not those of the numbers. */
static int a[400], b[400];
static void f(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if ((unsigned long)i * 100000000000000ul * 50000ul / 100000000000000ul < 180000ul)
      a[i] += 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if ((unsigned long)i * 70000000000000ul * 70000ul % 7ul < 3ul)
      b[i] += 2;
}
int main(void)
{
  f(300);
  for (int i = 0; i < 400; i++)
    printf("%d %d\n", a[i], b[i]);
}
