/* What the programs of this folder share: a clock, and rows `NAME VALUE` for the driver. */
#ifndef ROWS_H
#define ROWS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void row(const char *name, double value)
{
    printf("%s %.6g\n", name, value);
}

/* The number of repetitions: an argument divides it. */
static inline long repeated(int argc, char **argv, long number)
{
    long by = argc > 1 ? atol(argv[1]) : 1;
    return by > 1 && number / by > 0 ? number / by : number;
}

#endif
