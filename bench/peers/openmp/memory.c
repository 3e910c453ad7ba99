/* Memory, OpenMP: SIZE tasks that read one of 1,024 data each, none of which is there before the last task has been made. Two threads at
 * least: with one, the first task would be run at once and wait for ever. */
#include "work.h"

static uint64_t data[BENCH_DATA];
static int gate, open_;

static void make(size_t tasks)
{
#pragma omp task depend(out : gate)
    while (!__atomic_load_n(&open_, __ATOMIC_ACQUIRE))
        ;
    for (size_t i = 0; i < BENCH_DATA; i++) {
#pragma omp task depend(in : gate) depend(out : data[i]) firstprivate(i)
        data[i] = i;
    }
    for (size_t i = 0; i < tasks; i++) {
        uint64_t *datum = &data[i % BENCH_DATA];
#pragma omp task depend(in : datum[0]) firstprivate(datum)
        {
            __asm__ volatile("" : : "r"(datum) : "memory");
            bench_ran();
        }
    }
    bench_expect("tasks that ran too early", bench_total(), 0);
    __atomic_store_n(&open_, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    int threads = bench.workers < 2 ? 2 : bench.workers;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        bench_start(&bench);
        make(bench.size);
#pragma omp taskwait
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), bench.size);
    }
    return bench_report(&bench, bench.size);
}
