/* b: tasks that count one datum up, each time as the next one on the same memory. VARIANT `rank`: on the first worker; `near`:
 * near the datum; `modes`: on the first worker, with the calls that dvm.hpp makes: one argument of mode DVM_INOUT. */
#include "dvm_work.h"

static int run(dvm_data_id_t before, dvm_data_id_t after)
{
    (void)before;
    ++*(uint64_t *)bytes(after);
    bench_ran();
    return 0;
}

static int run_in_place(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    ++*(uint64_t *)bytes(ids[0]);
    bench_ran();
    return 0;
}

static void processing_new(int modes, dvm_processing_id_t processing)
{
    if (modes) {
        need(dvm_processing_register_v(run_in_place, NULL, 1, "count up", processing));
        need(dvm_processing_access(processing, (int[]){DVM_INOUT}));
    } else {
        need(dvm_processing_register(DVM_CALLBACK(run), 2, "count up", processing));
        need(dvm_processing_access(processing, (int[]){DVM_IN, DVM_OUT}));
    }
}

/* Schedules one task on the datum `at`, which is the updated one afterwards. */
static void count_up(const dvm_processing_id_t processing, int placed, dvm_data_id_t at)
{
    dvm_data_id_t pair[2]; /* before and after */
    dvm_id_copy(pair[0], at);
    need(dvm_data_next(pair[0], &pair[1]));
    need(placed ? dvm_sched_onto(ranks[0], processing, pair[0], pair[1]) : dvm_sched_near(processing, pair, 2));
    dvm_id_copy(at, pair[1]);
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_processing_id_t processing;
    int placed = by_rank(&bench), modes = by_modes(&bench);
    dvm_begin(&bench);
    processing_new(modes, processing);
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        dvm_data_id_t number;
        number_new(0, &number);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
            if (modes)
                need(dvm_sched_onto_v(ranks[0], processing, &number, 1));
            else
                count_up(processing, placed, number);
        }
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
        bench_expect("the datum", *(uint64_t *)bytes(number), tasks);
        need(dvm_data_put(number));
        need(dvm_data_relax(number));
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
