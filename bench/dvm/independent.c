/* a: tasks that each read one of 1,024 data. VARIANT `rank`: in turn over the workers; `near`: near the data. */
#include "dvm_work.h"

static int run(dvm_data_id_t datum)
{
    (void)datum;
    bench_ran();
    return 0;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_processing_id_t processing;
    static dvm_data_id_t data[BENCH_DATA];
    int placed = by_rank(&bench);
    dvm_begin(&bench);
    need(dvm_processing_register(DVM_CALLBACK(run), 1, "empty", processing));
    for (size_t i = 0; i < BENCH_DATA; i++)
        number_new(i, &data[i]);
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
            dvm_data_id_t *datum = &data[i % BENCH_DATA];
            need(dvm_data_acquire(*datum)); /* the task's own reference: ours stays for the next pass */
            need(placed ? dvm_sched_onto(ranks[i % rank_count], processing, *datum) : dvm_sched_near(processing, datum, 1));
        }
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
