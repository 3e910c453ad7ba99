/* b: tasks that count one datum up, each time as the next one on the same memory. VARIANT `rank`: on the first worker; `near`:
 * near the datum. */
#include "dvm_work.h"

static int run(dvm_data_id_t before, dvm_data_id_t after)
{
    (void)before;
    ++*(uint64_t *)bytes(after);
    bench_ran();
    return 0;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_processing_id_t processing;
    int modes[] = {DVM_IN, DVM_OUT}, placed = by_rank(&bench);
    dvm_begin(&bench);
    need(dvm_processing_register(DVM_CALLBACK(run), 2, "count up", processing));
    need(dvm_processing_access(processing, modes));
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        dvm_data_id_t pair[2]; /* before and after */
        number_new(0, &pair[0]);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
            need(dvm_data_next(pair[0], &pair[1]));
            need(placed ? dvm_sched_onto(ranks[0], processing, pair[0], pair[1]) : dvm_sched_near(processing, pair, 2));
            dvm_id_copy(pair[0], pair[1]);
        }
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
        bench_expect("the datum", *(uint64_t *)bytes(pair[0]), tasks);
        need(dvm_data_put(pair[0]));
        need(dvm_data_relax(pair[0]));
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
