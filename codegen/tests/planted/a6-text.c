#include <stdio.h>
/* `- -n` is not `--n`. */
static int a[4000];
static int f(int n, int m)
{
#pragma dvm region
  for (int i = 0; i < - -n * m; i++)
    a[i] += 1;
  a[0] += n;
#pragma dvm region
  for (int i = 0; i < n * (m - (n - m)); i++)
    a[i] += 2;
  return n;
}
int main(void)
{
  printf("%d %d\n", f(20, 30), f(21, 11));
  for (int i = 0; i < 4000; i++)
    printf("%d\n", a[i]);
}
