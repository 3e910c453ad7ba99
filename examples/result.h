/* Shared by the examples with pragmas: command line, clock, checksum, raw output. Does not use libdvm.
 *
 *   PROGRAM [-t] [-o FILE] [SIZE ...]
 *
 * -t prints the region's wall time in seconds to standard error; -o writes the result's bytes to FILE. */
#ifndef EXAMPLES_RESULT_H
#define EXAMPLES_RESULT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int result_timed;
static const char *result_file;
static double result_began;

/* Reads the options and up to `count` sizes (not negative) over their defaults. */
static inline void result_options(int argc, char **argv, int count, int *sizes)
{
    int given = 0;
    for (int i = 1; i < argc; i++) {
        char *end;
        if (strcmp(argv[i], "-t") == 0) {
            result_timed = 1;
        } else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
            result_file = argv[++i];
        } else {
            long size = strtol(argv[i], &end, 10);
            if (given == count || *end != '\0' || size < 0 || size > 1000000000) {
                fprintf(stderr, "usage: %s [-t] [-o FILE] [SIZE ...] (at most %d sizes, 0 or more)\n", argv[0], count);
                exit(2);
            }
            sizes[given++] = (int)size;
        }
    }
}

static inline void *result_allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        perror("malloc");
        exit(1);
    }
    return memory;
}

static inline double result_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void result_begin(void)
{
    result_began = result_clock();
}

/* Ends the measured part; prints a checksum of the result's bytes (FNV-1a, 64 bits). */
static inline void result_end(const char *what, const void *bytes, size_t size)
{
    double seconds = result_clock() - result_began;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    printf("%s: %zu bytes, checksum %016llx\n", what, size, (unsigned long long)sum);
    if (result_timed) {
        fprintf(stderr, "seconds %.6f\n", seconds);
    }
    if (result_file != NULL) {
        FILE *file = fopen(result_file, "wb");
        if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
            perror(result_file);
            exit(1);
        }
    }
}

#endif
