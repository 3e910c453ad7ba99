/* hop: one task at a time; each schedules the next on the next worker. With more workers than PUs a hop needs a change of
 * threads by the system whenever the next worker is not on a PU. */
#include "dvm_work.h"

static dvm_processing_id_t processing;
static size_t left;
static uint64_t place;

static int run(void)
{
    bench_ran();
    if (--left > 0) { /* one task at a time: nobody else writes these two */
        place = (place + 1) % rank_count;
        need(dvm_sched_onto(ranks[place], processing));
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_begin(&bench);
    need(dvm_processing_register(DVM_CALLBACK(run), 0, "hop", processing));
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        left = tasks;
        bench_start(&bench);
        need(dvm_sched_onto(ranks[place], processing));
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("hops", bench_total(), tasks);
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
