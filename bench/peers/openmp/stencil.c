/* d, OpenMP: tasks that read three data and write a new one. (Two rows that take turns would save memory, but libgomp's
 * time for a task then grows with the number of tasks.) */
#include "work.h"

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    uint64_t(*rows)[BENCH_WIDTH] = bench_memory((bench.size + 1) * sizeof *rows);
#pragma omp parallel num_threads(bench.workers)
#pragma omp single
    for (int pass = 0; pass < 2; pass++) {
        size_t steps = bench_size(&bench, pass);
        stencil_begin(rows[0]);
        bench_start(&bench);
        for (size_t t = 0; t < steps; t++)
            for (size_t i = 0; i < BENCH_WIDTH; i++) {
                const uint64_t *left = &rows[t][stencil_left(i)], *middle = &rows[t][i], *right = &rows[t][stencil_right(i)];
                uint64_t *out = &rows[t + 1][i];
#pragma omp task depend(in : *left, *middle, *right) depend(out : *out) firstprivate(left, middle, right, out)
                {
                    *out = stencil_point(*left, *middle, *right);
                    bench_ran();
                }
                if (t == 0 && i == 0)
                    bench.inline_ = bench_here() > 0;
            }
#pragma omp taskwait
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
        stencil_check(rows[steps], steps);
    }
    free(rows);
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
