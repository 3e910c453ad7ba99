/* Runs the functions of two shared objects, the original ones and the transformed ones, and compares all bytes that they
 * may have touched: judge ORIGINAL.so TRANSFORMED.so [FIRST]. One line for each function:
 *   same ID | undefined ID | differs ID WHERE. */
#include "standin.h"
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { STORE = 16384, STORES = 8, ARENA = STORE * STORES, MARGIN = 1 << 22 };

struct unit {
  long id;
  const char *kinds; /* the elements of each store */
  void (*run)(unsigned char *arena, int size);
};

struct trial {
  long tile; /* below 0: mixed sizes */
  unsigned long seed;
  int workers, refuse, in_task;
};

static const struct trial trials[] = {
  { 1, 0, 1, 0, 0 }, { 3, 11, 1, 0, 0 }, { 2, 12, 3, 0, 0 }, { -5, 13, 1, 0, 0 }, { -7, 0, 2, 0, 0 }, { 100, 0, 1, 0, 0 },
  { 1, 14, 4, 0, 0 }, { 3, 0, 1, 1, 0 }, { 3, 0, 1, 0, 1 },
};
static const int sizes[] = { 0, 1, 2, 3, 5, 9 };

static sigjmp_buf back;
static volatile sig_atomic_t judging;

static void trap(int number)
{
  if (judging)
    siglongjmp(back, number);
  static const char words[] = "the transformed program was stopped by a signal\n";
  (void)!write(2, words, sizeof words - 1);
  _exit(3);
}

static unsigned char *arena_of(void)
{
  unsigned char *all = mmap(0, ARENA + 2 * MARGIN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + MARGIN, ARENA, PROT_READ | PROT_WRITE))
    exit(2);
  return all + MARGIN;
}

/* Numbers that sums of a few terms keep small. */
static void fill(unsigned char *arena, const char *kinds, int size)
{
  memset(arena, 0x55, ARENA);
  unsigned long x = 88172645463325252ul + (unsigned long)size;
  for (int k = 0; kinds[k]; k++)
    for (int i = 0; i < 2048; i++) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      const long v = (long)((x >> 20) % 201) - 100;
      unsigned char *at = arena + k * STORE;
      switch (kinds[k]) {
      case 'd': ((double *)at)[i] = (double)v / 8 + 0.0625; break;
      case 'f': ((float *)at)[i] = (float)v / 8 + 0.0625f; break;
      case 'b': at[i] = (unsigned char)v; break;
      case 'h': ((short *)at)[i] = (short)v; break;
      case 'i': ((int *)at)[i] = (int)v; break;
      default: ((long *)at)[i] = v; break;
      }
    }
}

/* The original has as much time of its processor, the transformed one (whose threads may wait for each other) by the clock. */
static void clock_of(int which, int milliseconds)
{
  const struct itimerval t = { { 0, 0 }, { milliseconds / 1000, milliseconds % 1000 * 1000 } };
  setitimer(which, &t, 0);
}

static unsigned char *mine, *theirs, *begin;

/* 0, or what is wrong; words are written to `said`. */
static int judge(const struct unit *original, const struct unit *transformed, char *said)
{
  unsigned long mix = 88172645463325252ul;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    fill(begin, original->kinds, sizes[s]);
    memcpy(theirs, begin, ARENA);
    judging = 1;
    if (sigsetjmp(back, 1)) {
      judging = 0;
      clock_of(ITIMER_VIRTUAL, 0);
      return 1;
    }
    clock_of(ITIMER_VIRTUAL, 300);
    original->run(theirs, sizes[s]);
    clock_of(ITIMER_VIRTUAL, 0);
    judging = 0;
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
      const struct trial *trial = &trials[t];
      if ((trial->refuse || trial->in_task) && sizes[s] != 3)
        continue;
      for (int k = 0; k < 16; k++) {
        mix ^= mix << 13, mix ^= mix >> 7, mix ^= mix << 17;
        standin_size[k] = trial->tile > 0 ? trial->tile : 1 + (long)(mix % (unsigned long)-trial->tile);
      }
      standin_seed = trial->seed, standin_workers = trial->workers;
      standin_refuse = trial->refuse, standin_in_task = trial->in_task;
      memcpy(mine, begin, ARENA);
      clock_of(ITIMER_REAL, 10000);
      transformed->run(mine, sizes[s]);
      clock_of(ITIMER_REAL, 0);
      if (memcmp(mine, theirs, ARENA) == 0)
        continue;
      long at = 0;
      while (mine[at] == theirs[at])
        at++;
      sprintf(said, "size %d, tiles %ld (%ld %ld %ld), order %lu, workers %d, refuse %d, in a task %d: store %ld, byte %ld", sizes[s],
          trial->tile, (long)standin_size[0], (long)standin_size[1], (long)standin_size[2], trial->seed, trial->workers,
          trial->refuse, trial->in_task, at / STORE, at % STORE);
      return 2;
    }
  }
  return 0;
}

static const struct unit *units_of(const char *path)
{
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const struct unit *units = object ? dlsym(object, "units_") : 0;
  if (!units) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return units;
}

int main(int argc, char **argv)
{
  if (argc < 3)
    return 2;
  const struct unit *original = units_of(argv[1]), *transformed = units_of(argv[2]);
  const long first = argc > 3 ? atol(argv[3]) : 0;
  mine = arena_of(), theirs = arena_of(), begin = arena_of();
  static char stack[1 << 16];
  const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  sigaltstack(&other, 0);
  struct sigaction action = { .sa_handler = trap, .sa_flags = SA_ONSTACK };
  const int signals[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM, SIGVTALRM, SIGTRAP };
  for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
    sigaction(signals[k], &action, 0);
  for (long k = first; original[k].run; k++) {
    char said[400] = "";
    printf("begins %ld\n", original[k].id);
    fflush(stdout);
    const int answer = judge(&original[k], &transformed[k], said);
    printf("%s %ld %s\n", answer == 0 ? "same" : answer == 1 ? "undefined" : "differs", original[k].id, said);
  }
  printf("end tiles %lld\n", (long long)standin_tiles);
  return 0;
}
