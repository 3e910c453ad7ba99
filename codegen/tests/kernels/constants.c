/* stays sequential: 5 regions, whose counters are of types that are not certain */
#include "kernel.h"
/* Constants and steps have the values and types that C gives them, not those of their text. */
enum small { S0 = 3, S1, S2 };
enum below { B0 = -2, B1 };
enum __attribute__((packed)) narrow { N0 = 250, N1 };
enum large { L0 = 5000000000, L1 };
static const unsigned char folded = 258;
static int steps(int n, int *restrict a)
{
  int x = 0;
#pragma dvm region
  for (int i = 0; i < n; i -= -1u)
    a[i] += 1;
#pragma dvm region
  for (long i = 0; i < n; i += (unsigned char)258)
    a[i] += 2;
#pragma dvm region
  for (int i = 0; i < n; i += sizeof x)
    a[i] += 4;
#pragma dvm region
  for (int i = 0; i < n; i += S0)
    a[i] += 8;
#pragma dvm region
  for (int i = n - 1; i >= 0; i += B0)
    a[i] += 16;
#pragma dvm region
  for (int i = n - 1; i >= 0; i = i - (3 - 1 * 2))
    a[i] += 32;
#pragma dvm region
  for (unsigned i = 0; i < 7; i += ~0u / 0x7fffffffu)
    a[i] += 64;
#pragma dvm region
  for (unsigned i = n + 3; i > 2; i += -1)
    a[i] += 128;
#pragma dvm region
  for (int i = 0; i < n; i += 1 ? 2 : 5)
    a[i] += 256;
  return x;
}
static void values(int n, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i + '\xff' + 1] += 3;
    a[i + ('\377' < 0 ? 1 : 2)] ^= 5;
    a[i + sizeof(enum small) - 3] += 7;
    a[i + (unsigned char)'\xff' % 7] ^= 9;
    a[i + S2 + B1] += 11;
    a[i + (L1 - 5000000000) + folded] += 13;
    a[i + -1 / 2 + -7 % 4 + 3] ^= 15;
    a[i + (~0u >> 30)] += 17;
    a[i + (-1 < 0u) + sizeof(char)] ^= 19;
  }
}
static void counters(int n, int *restrict a)
{
#pragma dvm region
  for (enum small e = 0; e < 5; e++)
    a[e] += 1;
#pragma dvm region
  for (enum below e = -2; e < 5; e++)
    a[e + 2] += 2;
#pragma dvm region
  for (enum narrow e = 0; e < 5; e++)
    a[e] += 4;
#pragma dvm region
  for (enum large e = 0; e < 5; e++)
    a[e] += 8;
#pragma dvm region
  for (int i = 0; i < n; i += sizeof(enum narrow))
    a[i] += 16;
#pragma dvm region
  for (unsigned i = 0; i < 40u; i = (unsigned char)i + 1)
    a[i] += 32;
#pragma dvm region
  for (int i = 0; i < 40; i = (char)(i + 1))
    a[i] += 64;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 18);
  int *a = room(90 * sizeof *a);
  fill_int(a, 90, 1);
  steps(n, a);
  values(n, a);
  counters(n, a);
  show("a", a, 90 * sizeof *a);
}
