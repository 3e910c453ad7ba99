/* e, OpenMP: no tasks, a loop shared by the threads in each step, with a barrier after it. */
#include "work.h"

static uint64_t rows[2][BENCH_WIDTH];

static __attribute__((noinline)) void task(size_t t, size_t i)
{
    const uint64_t *from = rows[t % 2];
    rows[(t + 1) % 2][i] = stencil_point(from[stencil_left(i)], from[i], from[stencil_right(i)]);
    bench_ran();
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    void (*volatile chosen)(size_t, size_t) = task;
    for (int pass = 0; pass < 2; pass++) {
        size_t steps = bench_size(&bench, pass);
        stencil_begin(rows[0]);
        bench_start(&bench);
#pragma omp parallel num_threads(bench.workers)
        {
            void (*call)(size_t, size_t) = chosen;
            for (size_t t = 0; t < steps; t++) {
#pragma omp for schedule(static)
                for (size_t i = 0; i < BENCH_WIDTH; i++)
                    call(t, i);
            }
        }
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
        stencil_check(rows[steps % 2], steps);
    }
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
