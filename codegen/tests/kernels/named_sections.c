/* stays sequential: 1 regions, since the linker names where a section begins */
#include "kernel.h"

static double a[40], b[40];
static double t __attribute__((used, section("numbers")));
extern double __start_numbers[];

/* The compiler must not look into it. */
static double __attribute__((noipa)) first(void)
{
  return __start_numbers[0];
}

static void section(int n)
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
  int n = size_argument(argc, argv, 1, 9);
  for (int i = 0; i < 40; i++)
    a[i] = (i * 5) % 11 + 1;
  section(n);
  printf("%.17g\n", first());
  squares(n);
  for (int i = 0; i < 40; i++)
    printf("%.17g\n", b[i]);
  return 0;
}
