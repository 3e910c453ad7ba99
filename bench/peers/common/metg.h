/* METG(50 %): the smallest average granularity of tasks at which the cores still do useful work half of the time.
 *
 * A graph has METG_WIDTH points and SIZE steps; a task reads the results of some points of the step before, computes, and
 * leaves its result. A program includes this header and defines metg_prepare(), metg_run() and metg_end(); VARIANT names
 * the pattern. The efficiency of a run is what the computation alone takes on all cores over what the run took. The
 * computation grows until the efficiency passes one half; the granularity at that point is the result. */
#ifndef BENCH_METG_H
#define BENCH_METG_H

#include "work.h"

#include <math.h>
#include <pthread.h>

enum { METG_WIDTH = 32, METG_MAX_INPUTS = 5, METG_MAX_REPEATS = 64 };

typedef enum { METG_STENCIL_1D, METG_NEAREST, METG_FFT, METG_NO_COMM } metg_pattern_t;

typedef struct {
    metg_pattern_t pattern;
    int workers, steps;
    uint64_t iterations; /* of the computation of one task */
    uint64_t epoch;      /* makes the results of each run different */
    uint64_t *results;   /* steps x METG_WIDTH */
    uint64_t wrong;      /* tasks that ran before their inputs were there */
} metg_t;

static void metg_prepare(metg_t *graph); /* starts the system; builds what lives through several runs */
static void metg_run(metg_t *graph);     /* runs metg_task once for each step and point, in an order that the inputs allow */
static void metg_end(metg_t *graph);

/* The points of step - 1 that a task reads, rising. Symmetric: also the points of step that read it. */
static inline int metg_neighbours(metg_pattern_t pattern, int step, int point, int *inputs)
{
    int count = 0, reach = 0, stride = 1;
    switch (pattern) {
    case METG_STENCIL_1D: reach = 1; break;
    case METG_NEAREST: reach = 2; break;
    case METG_FFT:
        reach = 1;
        stride = 1 << (step - 1) % 5; /* METG_WIDTH is 2 to the 5th */
        break;
    case METG_NO_COMM: break;
    }
    for (int offset = -reach; offset <= reach; offset++) {
        int other = point + offset * stride;
        if (other >= 0 && other < METG_WIDTH)
            inputs[count++] = other;
    }
    return count;
}

/* What a task waits for: nothing in step 0. */
static inline int metg_inputs(const metg_t *graph, int step, int point, int *inputs)
{
    return step == 0 ? 0 : metg_neighbours(graph->pattern, step, point, inputs);
}

/* The points of step + 1 that wait for this task: none in the last step. */
static inline int metg_outputs(const metg_t *graph, int step, int point, int *outputs)
{
    return step + 1 == graph->steps ? 0 : metg_neighbours(graph->pattern, step + 1, point, outputs);
}

/* The computation: eight independent chains, all in registers. */
static __attribute__((noinline)) double metg_kernel(uint64_t iterations)
{
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (uint64_t i = 0; i < iterations; i++)
        for (int k = 0; k < 8; k++)
            x[k] = x[k] * 0.999 + 0.001;
    return x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

static inline uint64_t metg_tag(const metg_t *graph, int step, int point)
{
    return (graph->epoch * (uint64_t)graph->steps + (uint64_t)step) * METG_WIDTH + (uint64_t)point + 1;
}

/* One task: sees that its inputs are there, computes, and leaves its result. */
static inline void metg_task(metg_t *graph, int step, int point)
{
    int inputs[METG_MAX_INPUTS];
    int count = metg_inputs(graph, step, point, inputs);
    for (int k = 0; k < count; k++)
        if (graph->results[(size_t)(step - 1) * METG_WIDTH + inputs[k]] != metg_tag(graph, step - 1, inputs[k]))
            __atomic_fetch_add(&graph->wrong, 1, __ATOMIC_RELAXED);
    double value = metg_kernel(graph->iterations);
    graph->results[(size_t)step * METG_WIDTH + point] = value > 0 ? metg_tag(graph, step, point) : 0;
}

static inline double metg_timed_run(metg_t *graph)
{
    graph->epoch++;
    double began = bench_now();
    metg_run(graph);
    double seconds = bench_now() - began;
    bench_expect("tasks that ran before their inputs were there", graph->wrong, 0);
    for (int step = 0; step < graph->steps; step++)
        for (int point = 0; point < METG_WIDTH; point++)
            bench_expect("a result", graph->results[(size_t)step * METG_WIDTH + point], metg_tag(graph, step, point));
    return seconds;
}

static int metg_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time of a run with this much computation: repeated for 30 ms at least. */
static inline double metg_measure(metg_t *graph, uint64_t iterations)
{
    double runs[METG_MAX_REPEATS], total = 0;
    int count = 0;
    graph->iterations = iterations;
    while (count < METG_MAX_REPEATS && (total < 0.03 || (count < 5 && total < 0.1)))
        total += runs[count++] = metg_timed_run(graph);
    qsort(runs, count, sizeof runs[0], metg_by_size);
    return runs[count / 2];
}

typedef struct {
    double seconds, value;
} metg_peak_t;

static void *metg_compute(void *argument)
{
    metg_peak_t *peak = (metg_peak_t *)argument;
    double began = bench_now();
    peak->value = metg_kernel(4000000);
    peak->seconds = bench_now() - began;
    return NULL;
}

/* Seconds of one iteration, with all cores computing: the best of three trials of the mean over the cores. */
static inline double metg_iteration(int workers)
{
    double best = 1;
    pthread_t *threads = (pthread_t *)bench_memory((size_t)workers * sizeof *threads);
    metg_peak_t *peaks = (metg_peak_t *)bench_memory((size_t)workers * sizeof *peaks);
    for (int trial = 0; trial < 3; trial++) {
        double sum = 0;
        for (int i = 0; i < workers; i++)
            if (pthread_create(&threads[i], NULL, metg_compute, &peaks[i]) != 0)
                bench_fail("pthread_create", "no thread");
        for (int i = 0; i < workers; i++) {
            pthread_join(threads[i], NULL);
            sum += peaks[i].seconds;
        }
        double mean = sum / workers / 4000000;
        best = mean < best ? mean : best;
    }
    free(peaks);
    free(threads);
    return best;
}

static inline metg_pattern_t metg_named(const char *name)
{
    static const char *const names[] = {"stencil_1d", "nearest", "fft", "no_comm"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (metg_pattern_t)i;
    bench_fail(name, "no pattern has this name: stencil_1d, nearest, fft, no_comm");
    return METG_NO_COMM;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    metg_t graph;
    memset(&graph, 0, sizeof graph);
    graph.pattern = metg_named(bench.variant);
    graph.workers = bench.workers;
    graph.steps = (int)bench.size;
    graph.results = (uint64_t *)bench_memory(bench.size * METG_WIDTH * sizeof(uint64_t));
    double tasks = (double)graph.steps * METG_WIDTH;
    double iteration = metg_iteration(bench.workers);

    metg_prepare(&graph);
    metg_measure(&graph, 32); /* warm-up */
    /* Brackets the point where the efficiency passes one half, then halves the bracket three times, on a logarithmic scale. Below half
     * of the present granularity no computation can be enough: that much is skipped. */
    double low = 2, high = 0, granularity = 0;
    for (double iterations = 4; high == 0 || high / low > 1.1;) {
        double seconds = metg_measure(&graph, (uint64_t)iterations);
        double efficiency = tasks * (double)(uint64_t)iterations * iteration / bench.workers / seconds;
        if (efficiency < 0.5) {
            low = iterations;
        } else {
            high = iterations;
            granularity = seconds * bench.workers / tasks;
        }
        if (low > 1e7)
            bench_no_figure(bench.variant, "the efficiency stays under one half whatever the tasks compute");
        double enough = 0.5 * seconds * bench.workers / tasks / iteration;
        iterations = high != 0 ? sqrt(low * high) : enough > 2 * low ? enough : 2 * low;
    }
    metg_end(&graph);
    return bench_report_ns(&bench, 1e9 * granularity, (uint64_t)tasks);
}

#endif
