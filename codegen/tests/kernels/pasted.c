#include "kernel.h"
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#define EXP_FUN(x) x##UL
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VERSION 1
#define FIELD(n) JOIN(field_, n)
#define LENGTH(x) (sizeof(#x) - 1)
static DATA_TYPE a[32][32], JOIN(b, VERSION)[32][32];
static unsigned long c[32];
struct pair { int field_1, field_2; };
static struct pair d[32];
static void f(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = SCALAR_VAL(0.5) * (a[i - 1][j] + JOIN(b, VERSION)[i][j]) + JOIN(2, 5) * JOIN(1., 25f);
#pragma dvm region
  for (int i = 0; i < n - JOIN(1, 0) + 10; i++) {
    c[i] = EXP_FUN(3) * c[i] + i;
    d[i].FIELD(2) = d[i].FIELD(VERSION) + JOIN(0x, f);
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  for (int i = 0; i < 32; i++) {
    c[i] = 7ul * i;
    d[i].field_1 = i;
    for (int j = 0; j < 32; j++)
      a[i][j] = (float)(i - j), b1[i][j] = (float)(i * j % 7);
  }
  f(n);
  show("a", a, sizeof a);
  show("c", c, sizeof c);
  show("d", d, sizeof d);
}
