/* METG, by hand: each worker has a block of points; a flag for each point says how many steps it has finished. */
#include "floor.h"
#include "metg.h"

typedef struct {
    int steps;
    char padding[60];
} progress_t;

static progress_t done[METG_WIDTH] __attribute__((aligned(64)));
static metg_t *running;
static floor_thread_t *threads;
static int rounds, ended, idle; /* of the helpers: runs begun; whether to end; how many wait */

static int owner(const metg_t *graph, int point) { return point * graph->workers / METG_WIDTH; }

static void block(metg_t *graph, int worker)
{
    for (int step = 0; step < graph->steps; step++)
        for (int point = 0; point < METG_WIDTH; point++) {
            int inputs[METG_MAX_INPUTS];
            if (owner(graph, point) != worker)
                continue;
            int count = metg_inputs(graph, step, point, inputs);
            for (int k = 0; k < count; k++) {
                unsigned spins = 0;
                while (__atomic_load_n(&done[inputs[k]].steps, __ATOMIC_ACQUIRE) < step)
                    floor_relax(&spins);
            }
            metg_task(graph, step, point);
            __atomic_store_n(&done[point].steps, step + 1, __ATOMIC_RELEASE);
        }
}

static void help(int worker)
{
    for (int round = 0;;) {
        unsigned spins = 0;
        while (__atomic_load_n(&rounds, __ATOMIC_ACQUIRE) == round)
            floor_relax(&spins);
        if (__atomic_load_n(&ended, __ATOMIC_RELAXED))
            return;
        round++;
        block(running, worker);
        __atomic_fetch_add(&idle, 1, __ATOMIC_RELEASE);
    }
}

static void metg_prepare(metg_t *graph)
{
    threads = bench_memory((size_t)graph->workers * sizeof *threads);
    floor_start(threads, graph->workers, help);
}

static void metg_run(metg_t *graph)
{
    unsigned spins = 0;
    memset(done, 0, sizeof done);
    running = graph;
    __atomic_store_n(&idle, 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&rounds, 1, __ATOMIC_RELEASE);
    block(graph, 0);
    while (__atomic_load_n(&idle, __ATOMIC_ACQUIRE) < graph->workers - 1)
        floor_relax(&spins);
}

static void metg_end(metg_t *graph)
{
    __atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&rounds, 1, __ATOMIC_RELEASE);
    floor_join(threads, graph->workers);
    free(threads);
}
