/* a, OpenMP: one thread makes tasks that each read one datum, declared by `depend`. */
#include "work.h"

static uint64_t data[BENCH_DATA];

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
#pragma omp parallel num_threads(bench.workers)
#pragma omp single
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
            uint64_t *datum = &data[i % BENCH_DATA];
#pragma omp task depend(in : datum[0]) firstprivate(datum)
            {
                __asm__ volatile("" : : "r"(datum) : "memory");
                bench_ran();
            }
            if (i == 0)
                bench.inline_ = bench_here() > 0;
        }
#pragma omp taskwait
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench_report(&bench, bench.size);
}
