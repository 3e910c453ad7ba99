/* Runs every case of a unit over sizes and, with the stand-in, over tile sizes and workers; prints a hash a case and
   size. Each setting runs in a child process: it begins with fresh storage and may crash alone. */
#include "harness.h"
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef STANDIN
#include "standin.h"
#endif

extern void (*const cases[])(int, int);
extern const int case_count;

static uint64_t hash;
static int verbose;

static void add(const char *name, const void *bytes, size_t size)
{
  const unsigned char *b = bytes;
  uint64_t own = 1469598103934665603u;
  for (size_t k = 0; k < size; k++)
    own = (own ^ b[k]) * 1099511628211u;
  if (verbose)
    printf("    %s %016llx\n", name, (unsigned long long)own);
  hash = (hash ^ own) * 1099511628211u;
}

static uint64_t next(uint64_t *x)
{
  *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
  return *x >> 11;
}

#define FILL(TYPE, VALUE) for (long k = 0; k < count; k++) ((TYPE *)elements)[k] = (TYPE)(VALUE)
void fill_elements(void *elements, char type, long count, int seed)
{
  uint64_t x = 88172645463325252u + (uint64_t)seed * 1000003u;
  switch (type) {
  case 'B': FILL(_Bool, next(&x) & 1); break;
  case 'c': FILL(signed char, (int)(next(&x) % 61) - 30); break;
  case 'C': FILL(unsigned char, next(&x) % 61); break;
  case 's': FILL(short, (int)(next(&x) % 121) - 60); break;
  case 'S': FILL(unsigned short, next(&x) % 61); break;
  case 'i': FILL(int, (int)(next(&x) % 121) - 60); break;
  case 'I': FILL(unsigned, next(&x) % 61); break;
  case 'l': FILL(long, (int)(next(&x) % 121) - 60); break;
  case 'L': FILL(unsigned long, next(&x) % 61); break;
  case 'f': FILL(float, (double)(next(&x) % 1000) / 8 - 60); break;
  case 'd': FILL(double, (double)(next(&x) % 1000) / 8 - 60); break;
  case 'x': FILL(long double, (double)(next(&x) % 1000) / 8 - 60); break;
  case 'z': FILL(double _Complex, (double)(next(&x) % 1000) / 8 - 60 + I * (double)(next(&x) % 7)); break;
  case 'q': FILL(int, next(&x) % 12); break;
  default: abort();
  }
}

/* A NaN's sign and payload are no value of C; long double has bytes that hold nothing. */
#define SHOW(TYPE, BYTES) \
  for (long k = 0; k < count; k++) { \
    TYPE value = ((const TYPE *)elements)[k]; \
    char bytes[16] = "not a number"; \
    if (value == value) \
      memcpy(bytes, &value, BYTES); \
    own = own * 1000003u + k; \
    for (int b = 0; b < BYTES; b++) \
      own = (own ^ (unsigned char)bytes[b]) * 1099511628211u; \
  }

void show_elements(const char *name, const void *elements, char type, long count)
{
  static const char sizes[] = "B1c1C1s2S2i4I4q4l8L8";
  const char *found = strchr(sizes, type);
  if (found) {
    add(name, elements, (size_t)count * (size_t)(found[1] - '0'));
    return;
  }
  uint64_t own = 17;
  if (type == 'z')
    count *= 2;
  switch (type) {
  case 'f': SHOW(float, 4); break;
  case 'd': case 'z': SHOW(double, 8); break;
  case 'x': SHOW(long double, 10); break;
  default: abort();
  }
  add(name, &own, sizeof own);
}

void show_integer(const char *name, long long value) { add(name, &value, sizeof value); }
void show_real(const char *name, long double value) { show_elements(name, &value, 'x', 1); }

static const int sizes[][2] = {{0, 0}, {1, 2}, {3, 1}, {4, 6}, {7, 5}, {12, 11}};
#ifdef STANDIN
static const struct setting { int size[3], workers, seed; } settings[] = {
  {{1, 1, 1}, 1, 0}, {{2, 2, 2}, 1, 7}, {{3, 3, 3}, 3, 11}, {{4, 1, 3}, 1, 5}, {{2, 5, 1}, 1, 23}, {{40, 40, 40}, 1, 0},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };
static void steer(int which)
{
  for (int k = 0; k < 16; k++)
    standin_size[k] = settings[which].size[k % 3];
  standin_workers = settings[which].workers;
  standin_seed = (uint64_t)settings[which].seed;
}
#else
enum { SETTINGS = 1 };
static void steer(int which) { (void)which; }
#endif

/* The arguments are numbers of cases that are left out. */
int main(int argc, char **argv)
{
  verbose = getenv("STANDARD_VERBOSE") != 0;
  for (int which = 0; which < SETTINGS; which++) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      steer(which);
      for (int c = 0; c < case_count; c++) {
        int skipped = 0;
        for (int a = 1; a < argc; a++)
          skipped |= atoi(argv[a]) == c;
        if (skipped)
          continue;
        fprintf(stderr, "case %d\n", c);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
          hash = 1;
          printf("begin %d %d %zu\n", which, c, s);
          fflush(stdout);
          cases[c](sizes[s][0], sizes[s][1]);
          printf("end %016llx\n", (unsigned long long)hash);
        }
      }
      fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 3;
    if (status != 0)
      printf("crash %d\n", status);
  }
  return 0;
}
