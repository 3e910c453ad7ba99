#include <stdio.h>
/* Steps and enumerations have the values and types that C gives them, not those of their text. */
enum __attribute__((packed)) narrow { N0 = 3, N1 };
static int a[600];
static void steps(int n)
{
#pragma dvm region
  for (long i = 0; i < n; i += (unsigned char)258)
    a[i] += 1;
#pragma dvm region
  for (int i = 0; i < n; i -= -1u)
    a[i] += 2;
}
static void narrow(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if ((enum narrow)(i + 240) > 60)
      a[i] += 4;
}
int main(void)
{
  steps(300);
  narrow(300);
  for (int i = 0; i < 600; i++)
    printf("%d\n", a[i]);
}
