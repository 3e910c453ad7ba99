/* b, OpenMP: tasks that update one datum in turn, declared by `depend`. */
#include "work.h"

static uint64_t datum;

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
#pragma omp parallel num_threads(bench.workers)
#pragma omp single
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        datum = 0;
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
#pragma omp task depend(inout : datum)
            {
                datum++;
                bench_ran();
            }
            if (i == 0)
                bench.inline_ = bench_here() > 0;
        }
#pragma omp taskwait
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
        bench_expect("the datum", datum, tasks);
    }
    return bench_report(&bench, bench.size);
}
