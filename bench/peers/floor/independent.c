/* a, by hand: a ring of (function, argument) from the submitting thread to each worker. The submitting thread is a worker too:
 * it runs its own share whenever its ring holds a batch. */
#include "floor.h"

static uint64_t data[BENCH_DATA];
static floor_ring_t *rings;
static size_t share; /* tasks of each other worker */

static void task(void *datum)
{
    __asm__ volatile("" : : "r"(datum) : "memory");
    bench_ran();
}

static void work(int worker) { ring_run(&rings[worker], share); }

static void submit(size_t tasks, int workers)
{
    size_t mine = 0;
    for (size_t i = 0; i < tasks; i++) {
        int worker = i < share * (size_t)workers ? (int)(i % (size_t)workers) : 0;
        ring_push(&rings[worker], task, &data[i % BENCH_DATA]);
        if (worker == 0 && ++mine == RING_BATCH) {
            ring_flush(&rings[0]);
            ring_run(&rings[0], mine);
            mine = 0;
        }
    }
    for (int i = 0; i < workers; i++)
        ring_flush(&rings[i]);
    ring_run(&rings[0], mine);
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    floor_thread_t *threads = bench_memory((size_t)bench.workers * sizeof *threads);
    rings = bench_memory((size_t)bench.workers * sizeof *rings);
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        share = tasks / (size_t)bench.workers;
        floor_start(threads, bench.workers, work);
        bench_start(&bench);
        submit(tasks, bench.workers);
        floor_join(threads, bench.workers);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench_report(&bench, bench.size);
}
