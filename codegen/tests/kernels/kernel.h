/* What the kernels share: sizes from the command line, filling and printing. */
#ifndef KERNEL_H
#define KERNEL_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int size_argument(int argc, char **argv, int index, int otherwise)
{
  return argc > index ? atoi(argv[index]) : otherwise;
}

/* Values that are exact in every arithmetic type: small integers. */
static void fill_double(double *a, long n, int seed)
{
  unsigned long x = 88172645463325252ul + (unsigned long)seed;
  for (long k = 0; k < n; k++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    a[k] = (double)(x % 1000) / 8 - 60;
  }
}

static void fill_int(int *a, long n, int seed)
{
  unsigned long x = 88172645463325252ul + (unsigned long)seed;
  for (long k = 0; k < n; k++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    a[k] = (int)(x % 201) - 100;
  }
}

static void show(const char *name, const void *bytes, size_t size)
{
  const unsigned char *b = bytes;
  unsigned long hash = 1469598103934665603ul;
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ b[k]) * 1099511628211ul;
  printf("%s %zu %016lx\n", name, size, hash);
}

static void *room(size_t bytes)
{
  void *p = calloc(1, bytes + 64);
  if (!p)
    exit(9);
  return p;
}
#endif
