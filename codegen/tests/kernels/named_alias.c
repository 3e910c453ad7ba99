/* stays sequential: 1 regions, since the linker knows another name of what it leaves */
#include "kernel.h"

static double a[40], b[40];
static double t;
extern double other_name __attribute__((alias("t")));

static void alias(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    t = a[i] * 3;
    b[i] += t;
  }
}

static void squares(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    b[i] += a[i] * a[i];
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 9;
  for (int i = 0; i < 40; i++)
    a[i] = (i * 5) % 11 + 1;
  alias(n);
  printf("%.17g\n", other_name);
  squares(n);
  for (int i = 0; i < 40; i++)
    printf("%.17g\n", b[i]);
  return 0;
}
