#include <stdio.h>
/* The guard is on the remainder of m, beside other parameters; not on that of the tiles' size. */
static int b[64], c[64][16];
static void f(int n, int m)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (m % 3 != 0)
      b[i] += 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (n % 2 == m % 2)
      b[i] += 2;
#pragma dvm region
  for (int i = 0; i < m; i++)
    for (int j = 0; j < (n - 1) % 4; j += 2)
      c[i][j] += 4;
#pragma dvm region
  for (int t = 0; t < 4; t++)
    for (int i = 1; i < n; i++)
      if (t % 2 != m % 2)
        b[i] += b[i - 1] + t;
}
int main(void)
{
  for (int m = 0; m < 14; m++)
    for (int n = 1; n < 18; n += 3) {
      f(n, m);
      for (int i = 0; i < 64; i++)
        printf("%d %d\n", b[i] &= 1023, c[i][0] * 3 + c[i][2]);
    }
}
