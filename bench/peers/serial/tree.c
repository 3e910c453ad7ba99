/* c, serial: a recursive function. */
#include "work.h"

static void node(size_t levels);
static void (*volatile call)(size_t) = node;

static void node(size_t levels)
{
    bench_ran();
    if (levels > 0) {
        call(levels - 1);
        call(levels - 1);
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    uint64_t tasks = 0;
    for (int pass = 0; pass < 2; pass++) {
        tasks = (2ull << bench_size(&bench, pass)) - 1;
        bench_start(&bench);
        call(bench_size(&bench, pass));
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench_report(&bench, tasks);
}
