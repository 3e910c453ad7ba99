/* arguments-N, by hand: one thread counts a reference of each of N data up and pushes a task; the workers run the tasks and
 * count them down. No locks, no ids, no modes: what is left is that each datum's line goes to and fro between cores. */
#include "floor.h"

enum { MOST = 1024 };

typedef struct {
    uint64_t references __attribute__((aligned(64)));
} datum_t;

static datum_t data[MOST];
static int count;
static floor_ring_t *rings;
static size_t share; /* tasks of each worker */

static void task(void *first)
{
    datum_t *datum = first;
    bench_ran();
    for (int k = 0; k < count; k++)
        __atomic_fetch_sub(&datum[k].references, 1, __ATOMIC_ACQ_REL);
}

static void work(int worker) { ring_run(&rings[worker], share); }

static void submit(size_t tasks, int workers)
{
    for (size_t i = 0; i < tasks; i++) {
        for (int k = 0; k < count; k++)
            __atomic_fetch_add(&data[k].references, 1, __ATOMIC_RELAXED);
        ring_push(&rings[1 + i % (size_t)workers], task, data);
    }
    for (int i = 1; i <= workers; i++)
        ring_flush(&rings[i]);
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    int workers = bench.workers;
    floor_thread_t *threads = bench_memory(((size_t)workers + 1) * sizeof *threads);
    if (sscanf(bench.variant, "arguments-%d", &count) != 1 || count < 1 || count > MOST)
        bench_fail(bench.variant, "no such case");
    rings = bench_memory(((size_t)workers + 1) * sizeof *rings);
    for (int pass = 0; pass < 2; pass++) {
        share = bench_size(&bench, pass) / (size_t)workers;
        size_t tasks = share * (size_t)workers;
        floor_start(threads, workers + 1, work);
        bench_start(&bench);
        submit(tasks, workers);
        floor_join(threads, workers + 1);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
        for (int k = 0; k < count; k++)
            bench_expect("references", data[k].references, 0);
    }
    return bench_report(&bench, bench.size);
}
