#include "kernel.h"
#line 40 "made/from.x"
static double a[32], b[32];
static void f(int n)
{
#pragma dvm region
#line 7
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 2;
  printf("%d %s\n", __LINE__, __FILE__);
#line 7 "made/from.x"
#pragma dvm region
# 8 "made/from.y"
  for (int i = 0; i < n; i++)
    b[i] = a[i] + b[i];
  printf("%d %s\n", __LINE__, __FILE__);
#line 5 "made/other \
.x"
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = b[i] - 1;
#pragma endscop
  printf("%d\n", __LINE__);
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  fill_double(a, 32, 1);
  fill_double(b, 32, 2);
  f(n);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  printf("%d %s\n", __LINE__, __FILE__);
}
