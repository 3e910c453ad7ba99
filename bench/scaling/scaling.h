/* What the programs share whose regions are run or foretold on several processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef NAPS
double nap(double value) __attribute__((const));
#else
#define nap(value) (value)
#endif

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* An argument of the command line, at least 1. */
static inline int number(int argc, char **argv, int at)
{
    const int value = argc > at ? atoi(argv[at]) : 0;
    if (value < 1) {
        fprintf(stderr, "usage: %s NUMBER...\n", argv[0]);
        exit(2);
    }
    return value;
}

static inline void *elements(int rows, int columns)
{
    void *const all = malloc(sizeof(double) * (size_t)rows * (size_t)columns);
    if (!all) {
        fprintf(stderr, "no memory for %d x %d elements\n", rows, columns);
        exit(2);
    }
    return all;
}

/* Whether the region runs: where its tiles have known times, its arrays need no memory. */
static inline int may_touch(void)
{
    const char *const forecast = getenv("DVM_FORECAST");
    return !forecast || !(strstr(forecast, "read=") || strstr(forecast, "tile="));
}
