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
        /* One thread: tasks are not deferred when the first one has run before its directive is passed. */
        uint64_t before = bench_here();
#pragma omp task
        bench_ran();
        bench.inline_ = bench_here() > before;
#pragma omp taskwait
        bench_total();
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
    }
    return bench_report(&bench, tasks);
}
