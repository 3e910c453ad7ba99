/* c, by hand: each worker has a private stack of (function, argument) and a subtree of its own: no stealing. VARIANT `datum`: each task
 * has a datum of its own, from a private free list. */
#include "floor.h"

typedef union datum_t {
    size_t levels;
    union datum_t *next;
    char line[64];
} datum_t;

typedef struct {
    floor_task_t *stack;
    size_t top;
    datum_t *free;
} worker_t;

static __thread worker_t self;
static int with_data;
static size_t depth, split; /* levels of the tree; levels above the subtrees that the workers share out */
static int workers;

static void node(void *argument);

static datum_t *datum_new(size_t levels)
{
    datum_t *datum = self.free;
    if (datum)
        self.free = datum->next;
    else
        datum = bench_memory(sizeof *datum);
    datum->levels = levels;
    return datum;
}

static void push(size_t levels)
{
    void *argument = with_data ? (void *)datum_new(levels) : (void *)levels;
    self.stack[self.top++] = (floor_task_t){node, argument};
}

static void node(void *argument)
{
    size_t levels = (size_t)argument;
    if (with_data) {
        datum_t *datum = argument;
        levels = datum->levels;
        datum->next = self.free;
        self.free = datum;
    }
    bench_ran();
    if (levels > 0) {
        push(levels - 1);
        push(levels - 1);
    }
}

static void drain(void)
{
    while (self.top > 0) {
        floor_task_t task = self.stack[--self.top];
        task.call(task.argument);
    }
}

/* The subtrees `worker`, `worker + workers` ... below the split. */
static void work(int worker)
{
    if (!self.stack)
        self.stack = bench_memory(4096 * sizeof *self.stack);
    for (size_t subtree = (size_t)worker; subtree < (size_t)1 << split; subtree += (size_t)workers) {
        push(depth - split);
        drain();
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    floor_thread_t *threads = bench_memory((size_t)bench.workers * sizeof *threads);
    uint64_t tasks = 0;
    workers = bench.workers;
    with_data = strcmp(bench.variant, "datum") == 0;
    for (int pass = 0; pass < 2; pass++) {
        depth = bench_size(&bench, pass);
        split = workers == 1 || depth < 6 ? 0 : 6;
        tasks = (2ull << depth) - 1;
        floor_start(threads, workers, work);
        bench_start(&bench);
        for (size_t i = 1; i < (size_t)1 << split; i++)
            bench_ran(); /* the nodes above the split */
        work(0);
        floor_join(threads, workers);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench_report(&bench, tasks);
}
