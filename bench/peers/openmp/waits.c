/* wait-N, OpenMP: SIZE times N tasks, N being the VARIANT, and a taskwait. */
#include "work.h"

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    int count = atoi(bench.variant);
    if (count < 1)
        bench_fail("variant", bench.variant);
#pragma omp parallel num_threads(bench.workers)
#pragma omp single
    for (int pass = 0; pass < 2; pass++) {
        size_t times = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < times; i++) {
            for (int k = 0; k < count; k++) {
#pragma omp task
                bench_ran();
                if (i == 0 && k == 0)
                    bench.inline_ = bench_here() > 0;
            }
#pragma omp taskwait
        }
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), times * (uint64_t)count);
    }
    return bench_report(&bench, bench.size);
}
