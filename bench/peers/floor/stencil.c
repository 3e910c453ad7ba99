/* d and e, by hand: each worker has a block of columns, and tells its neighbours how many steps it has finished. */
#include "floor.h"

typedef struct {
    size_t steps;
    char padding[56];
} progress_t;

static uint64_t rows[2][BENCH_WIDTH] __attribute__((aligned(64)));
static progress_t *done;
static size_t steps;
static int workers;

static void task(size_t t, size_t i)
{
    const uint64_t *from = rows[t % 2];
    rows[(t + 1) % 2][i] = stencil_point(from[stencil_left(i)], from[i], from[stencil_right(i)]);
    bench_ran();
}

static void (*volatile chosen)(size_t, size_t) = task;

static void await(int worker, size_t t)
{
    unsigned spins = 0;
    while (__atomic_load_n(&done[worker].steps, __ATOMIC_ACQUIRE) < t)
        floor_relax(&spins);
}

static void work(int worker)
{
    size_t first = BENCH_WIDTH * (size_t)worker / (size_t)workers, past = BENCH_WIDTH * (size_t)(worker + 1) / (size_t)workers;
    void (*call)(size_t, size_t) = chosen;
    for (size_t t = 0; t < steps; t++) {
        /* The neighbours have finished step t - 1: their values are there, and ours of the step before are read. */
        await((worker + workers - 1) % workers, t);
        await((worker + 1) % workers, t);
        for (size_t i = first; i < past; i++)
            call(t, i);
        __atomic_store_n(&done[worker].steps, t + 1, __ATOMIC_RELEASE);
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    workers = bench.workers < BENCH_WIDTH ? bench.workers : BENCH_WIDTH;
    floor_thread_t *threads = bench_memory((size_t)workers * sizeof *threads);
    done = bench_memory((size_t)workers * sizeof *done);
    for (int pass = 0; pass < 2; pass++) {
        steps = bench_size(&bench, pass);
        memset(done, 0, (size_t)workers * sizeof *done);
        stencil_begin(rows[0]);
        bench_start(&bench);
        floor_start(threads, workers, work);
        work(0);
        floor_join(threads, workers);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
        stencil_check(rows[steps % 2], steps);
    }
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
