/* c, OpenMP: tasks that make tasks. VARIANT `datum`: each task updates a datum of its own, declared by `depend`. */
#include "work.h"

static void node(size_t levels)
{
    bench_ran();
    if (levels > 0) {
#pragma omp task firstprivate(levels)
        node(levels - 1);
#pragma omp task firstprivate(levels)
        node(levels - 1);
    }
}

/* The same, not timed: counts the tasks that begin inside of another one on its thread, because their maker runs them at
 * once. */
static _Thread_local int inside;
static uint64_t at_once;

static void probe(size_t levels)
{
    if (inside++ > 0)
        __atomic_fetch_add(&at_once, 1, __ATOMIC_RELAXED);
    if (levels > 0) {
#pragma omp task firstprivate(levels)
        probe(levels - 1);
#pragma omp task firstprivate(levels)
        probe(levels - 1);
    }
    inside--;
}

static void node_on(size_t *datum)
{
    size_t levels = *datum;
    bench_ran();
    free(datum);
    for (int half = 0; half < 2 && levels > 0; half++) {
        size_t *below = malloc(sizeof *below);
        *below = levels - 1;
#pragma omp task firstprivate(below) depend(inout : *below)
        node_on(below);
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    int with_data = strcmp(bench.variant, "datum") == 0;
    uint64_t tasks = 0;
#pragma omp parallel num_threads(bench.workers)
#pragma omp single
    {
        for (int pass = 0; pass < 2; pass++) {
            size_t depth = bench_size(&bench, pass);
            tasks = (2ull << depth) - 1;
            size_t *root = malloc(sizeof *root);
            *root = depth;
            bench_start(&bench);
#pragma omp taskgroup
            if (with_data)
                node_on(root);
            else
                node(depth);
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), tasks);
            if (!with_data)
                free(root);
        }
#pragma omp taskgroup
        probe(bench.size);
        bench.inline_ = 2 * at_once > tasks;
    }
    return bench_report(&bench, tasks);
}
