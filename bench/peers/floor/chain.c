/* b, by hand: records linked by their successor; who ends a task runs its successor directly. The last of two arrivals, the
 * link and the end of the task, goes on. With several workers one thread makes the chain and another runs it. */
#include "floor.h"

typedef struct record_t {
    floor_call_t call;
    void *argument;
    struct record_t *successor; /* NULL: not linked yet; itself: the task ended first */
    uint64_t padding[5];
} record_t;

static uint64_t datum;
static record_t *records;
static size_t length;
static record_t *handed; /* the task that goes on, from the maker to the runner */

static void task(void *value)
{
    ++*(uint64_t *)value;
    bench_ran();
}

/* Runs from `record` as far as the chain is linked; how many ran. */
static size_t run_from(record_t *record)
{
    for (size_t count = 1;; count++) {
        record->call(record->argument);
        record_t *none = NULL;
        record_t *next = __atomic_load_n(&record->successor, __ATOMIC_ACQUIRE);
        if (!next && __atomic_compare_exchange_n(&record->successor, &none, record, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return count;
        record = next ? next : none;
    }
}

static void runner(int worker)
{
    (void)worker;
    for (size_t done = 0; done < length;) {
        unsigned spins = 0;
        record_t *record;
        while (!(record = __atomic_load_n(&handed, __ATOMIC_ACQUIRE)))
            floor_relax(&spins);
        __atomic_store_n(&handed, NULL, __ATOMIC_RELAXED);
        done += run_from(record);
    }
}

/* Makes the chain; whoever is ready at once is handed to the runner (there is at most one at a time). */
static void make(void)
{
    for (size_t i = 0; i < length; i++) {
        records[i].call = task;
        records[i].argument = &datum;
        records[i].successor = NULL;
        if (i == 0 || __atomic_exchange_n(&records[i - 1].successor, &records[i], __ATOMIC_ACQ_REL) == &records[i - 1]) {
            unsigned spins = 0;
            while (__atomic_load_n(&handed, __ATOMIC_RELAXED))
                floor_relax(&spins);
            __atomic_store_n(&handed, &records[i], __ATOMIC_RELEASE);
        }
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    floor_thread_t threads[2];
    int workers = bench.workers > 1 ? 2 : 1;
    records = bench_memory(bench.size * sizeof *records);
    for (int pass = 0; pass < 2; pass++) {
        length = bench_size(&bench, pass);
        datum = 0;
        floor_start(threads, workers, runner);
        bench_start(&bench);
        make();
        if (workers == 1)
            runner(0);
        floor_join(threads, workers);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), length);
        bench_expect("the datum", datum, length);
    }
    return bench_report(&bench, bench.size);
}
