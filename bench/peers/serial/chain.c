/* b, serial: as many calls of a function that counts one datum up. */
#include "work.h"

static uint64_t datum;

static __attribute__((noinline)) void task(uint64_t *value)
{
    ++*value;
    bench_ran();
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    void (*volatile call)(uint64_t *) = task;
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        datum = 0;
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++)
            call(&datum);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
        bench_expect("the datum", datum, tasks);
    }
    return bench_report(&bench, bench.size);
}
