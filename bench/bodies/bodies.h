/* What the programs of this folder share: sizes, memory, time, and one number for all bits of a result. */
#ifndef BODIES_H
#define BODIES_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* The argument at a place, at least 1. */
static int argument(int argc, char **argv, int place)
{
  int value = argc > place ? atoi(argv[place]) : 0;
  if (value < 1) {
    fprintf(stderr, "usage: %s SIZE PASSES\n", argv[0]);
    exit(2);
  }
  return value;
}

static void *room(size_t bytes)
{
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == NULL) {
    fprintf(stderr, "no memory\n");
    exit(1);
  }
  return memory;
}

/* Numbers between -1 and 1 that do not repeat. */
#define NUMBERS(type)                                                                   \
  static type *numbers_##type(size_t count, unsigned seed)                              \
  {                                                                                     \
    type *all = room(count * sizeof *all);                                              \
    unsigned long long state = seed;                                                    \
    for (size_t k = 0; k < count; k++) {                                                \
      state = state * 6364136223846793005ull + 1442695040888963407ull;                  \
      all[k] = (type)(((double)(state >> 40) / (1 << 23) - 1) * SCALE_##type);          \
    }                                                                                   \
    return all;                                                                         \
  }
#define SCALE_double 1
#define SCALE_float 1
#define SCALE_int 1000

static unsigned long long bits(const void *memory, size_t bytes)
{
  const unsigned char *all = memory;
  unsigned long long sum = 14695981039346656037ull;
  for (size_t k = 0; k < bytes; k++)
    sum = (sum ^ all[k]) * 1099511628211ull;
  return sum;
}

/* Runs a statement some times, and prints the time of each. */
#define PASSES(count, statement)                                                        \
  for (int pass = 0; pass < (count); pass++) {                                          \
    double begin = seconds();                                                           \
    statement;                                                                          \
    printf("pass %.9f\n", seconds() - begin);                                           \
  }

/* Prints the operations of a pass, the least bytes that it moves, and what stands for the bits of a result. */
#define RESULT(memory, bytes, operations, moved)                                        \
  printf("operations %.0f\nbytes %.0f\nbits %016llx\n", (double)(operations), (double)(moved), bits(memory, bytes))
#endif
