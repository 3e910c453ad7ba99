/* Memory: SIZE tasks that read one of 1,024 promises each, which the program publishes after the last task is scheduled. */
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
    dvm_begin(&bench);
    need(dvm_processing_register(DVM_CALLBACK(run), 1, "empty", processing));
    for (size_t i = 0; i < BENCH_DATA; i++)
        need(dvm_data_promise(sizeof(uint64_t), &data[i]));
    bench_start(&bench);
    for (size_t i = 0; i < bench.size; i++) {
        need(dvm_data_acquire(data[i % BENCH_DATA]));
        need(dvm_sched_onto(ranks[i % rank_count], processing, data[i % BENCH_DATA]));
    }
    bench_expect("tasks that ran too early", bench_total(), 0);
    for (size_t i = 0; i < BENCH_DATA; i++)
        need(dvm_data_publish(data[i]));
    need(dvm_wait());
    bench_stop(&bench);
    bench_expect("tasks", bench_total(), bench.size);
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
