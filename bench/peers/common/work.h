/* What every measured program shares: its arguments, the clock, proof that the tasks were run, and its line of output.
 *
 *     PROGRAM WORKERS SIZE [VARIANT]
 *
 * SIZE is the number of tasks, levels or steps. A program does its work twice: a short warm-up, then the timed pass.
 * Both are checked. It prints one line of JSON. Valid C11 and C++17. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_MAX_THREADS = 1024, BENCH_DATA = 1024, BENCH_WIDTH = 64, BENCH_WARM_UP = 8 };

/* The exit status of a program whose results were right, but whose measurement came to no figure. */
enum { BENCH_NO_FIGURE = 3 };

typedef struct {
    int workers;
    size_t size;
    const char *variant;
    double began, seconds;
    int inline_; /* the first task, or most of them, had run on the thread of its maker before its submission returned */
} bench_t;

static inline double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void bench_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static inline void bench_no_figure(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(BENCH_NO_FIGURE);
}

static inline void *bench_memory(size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size ? size : 64) != 0)
        bench_fail("memory", "there is not that much");
    memset(memory, 0, size);
    return memory;
}

static inline bench_t bench_begin(int argc, char **argv)
{
    bench_t bench;
    memset(&bench, 0, sizeof bench);
    bench.workers = argc > 2 ? atoi(argv[1]) : 0;
    bench.size = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    bench.variant = argc > 3 ? argv[3] : "";
    if (bench.workers < 1 || bench.size < 1) {
        fprintf(stderr, "usage: %s WORKERS SIZE [VARIANT]\n", argv[0]);
        exit(2);
    }
    return bench;
}

/* The size of a pass: 0 is the warm-up, 1 is timed. */
static inline size_t bench_size(const bench_t *bench, int pass)
{
    return pass || bench->size < BENCH_WARM_UP ? bench->size : bench->size / BENCH_WARM_UP;
}

static inline void bench_start(bench_t *bench) { bench->began = bench_now(); }
static inline void bench_stop(bench_t *bench) { bench->seconds = bench_now() - bench->began; }

/* Proof that tasks ran: each thread counts its own, on its own cache line. */
typedef struct {
    uint64_t count;
    uint64_t padding[7];
} bench_counter_t;

static bench_counter_t bench_counters[BENCH_MAX_THREADS] __attribute__((aligned(64)));
static int bench_threads;
static __thread bench_counter_t *bench_mine;

static __attribute__((noinline)) void bench_join(void)
{
    int index = __atomic_fetch_add(&bench_threads, 1, __ATOMIC_RELAXED);
    if (index >= BENCH_MAX_THREADS)
        bench_fail("bench_ran", "more threads than counters");
    bench_mine = &bench_counters[index];
}

/* A task calls this once. */
static inline void bench_ran(void)
{
    if (!bench_mine)
        bench_join();
    bench_mine->count++;
}

/* How many tasks the calling thread has run. */
static inline uint64_t bench_here(void) { return bench_mine ? bench_mine->count : 0; }

/* How many tasks ran since the last call; only while none runs. */
static inline uint64_t bench_total(void)
{
    uint64_t total = 0;
    for (int i = 0; i < BENCH_MAX_THREADS; i++) {
        total += bench_counters[i].count;
        bench_counters[i].count = 0;
    }
    return total;
}

/* Checks one pass: an error in the warm-up is one too. */
static inline void bench_expect(const char *what, uint64_t found, uint64_t expected)
{
    if (found != expected) {
        fprintf(stderr, "%s: %llu, not %llu\n", what, (unsigned long long)found, (unsigned long long)expected);
        exit(EXIT_FAILURE);
    }
}

/* The most memory that the process had, in KiB. */
static inline long bench_peak(void)
{
    char line[256];
    long peak = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &peak) == 1)
            break;
    if (status)
        fclose(status);
    return peak;
}

static inline int bench_report_ns(const bench_t *bench, double ns, uint64_t tasks)
{
    printf("{\"ns\":%.4f,\"tasks\":%llu,\"deferred\":%s,\"peak_kib\":%ld}\n", ns, (unsigned long long)tasks,
           bench->inline_ ? "false" : "true", bench_peak());
    return 0;
}

static inline int bench_report(const bench_t *bench, uint64_t tasks)
{
    return bench_report_ns(bench, 1e9 * bench->seconds / (double)tasks, tasks);
}

/* The stencil: BENCH_WIDTH values in a ring; each becomes the sum of itself and its two neighbours, and 1. */
static inline uint64_t stencil_point(uint64_t left, uint64_t middle, uint64_t right)
{
    return left + middle + right + 1;
}
static inline size_t stencil_left(size_t i) { return (i + BENCH_WIDTH - 1) % BENCH_WIDTH; }
static inline size_t stencil_right(size_t i) { return (i + 1) % BENCH_WIDTH; }

static inline void stencil_begin(uint64_t *row)
{
    for (size_t i = 0; i < BENCH_WIDTH; i++)
        row[i] = i + 1;
}

/* Compares a row with what `steps` steps make of the first one. */
static inline void stencil_check(const uint64_t *row, size_t steps)
{
    uint64_t rows[2][BENCH_WIDTH];
    stencil_begin(rows[0]);
    for (size_t t = 0; t < steps; t++)
        for (size_t i = 0; i < BENCH_WIDTH; i++)
            rows[(t + 1) % 2][i] =
                stencil_point(rows[t % 2][stencil_left(i)], rows[t % 2][i], rows[t % 2][stencil_right(i)]);
    for (size_t i = 0; i < BENCH_WIDTH; i++)
        bench_expect("a value of the stencil", row[i], rows[steps % 2][i]);
}

#endif
