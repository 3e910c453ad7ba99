/* a, serial: as many calls of an empty function, each on one of the data. */
#include "work.h"

static uint64_t data[BENCH_DATA];

static __attribute__((noinline)) void task(uint64_t *datum)
{
    __asm__ volatile("" : : "r"(datum) : "memory");
    bench_ran();
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    void (*volatile call)(uint64_t *) = task;
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++)
            call(&data[i % BENCH_DATA]);
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench_report(&bench, bench.size);
}
