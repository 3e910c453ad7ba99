/* a: tasks that each read one of 1,024 data. VARIANT `rank`: in turn over the workers; `near`: near the data; `modes`: in turn,
 * with the calls that dvm.hpp makes: the processing reads (DVM_READ), the task gets its datum. */
#include "dvm_work.h"

static int run(dvm_data_id_t datum)
{
    (void)datum;
    bench_ran();
    return 0;
}

static int run_get(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    (void)bytes(ids[0]);
    bench_ran();
    return 0;
}

/* Schedules one task that reads the datum. */
static void read_once(const dvm_processing_id_t processing, const dvm_rank_t *where, int modes, dvm_data_id_t *datum)
{
    if (modes) {
        need(dvm_sched_onto_v(*where, processing, datum, 1));
        return;
    }
    need(dvm_data_acquire(*datum)); /* the task's own reference: ours stays for the next pass */
    need(where != NULL ? dvm_sched_onto(*where, processing, *datum) : dvm_sched_near(processing, datum, 1));
}

static void processing_new(int modes, dvm_processing_id_t processing)
{
    if (modes) {
        need(dvm_processing_register_v(run_get, NULL, 1, "read", processing));
        need(dvm_processing_access(processing, (int[]){DVM_READ}));
    } else {
        need(dvm_processing_register(DVM_CALLBACK(run), 1, "empty", processing));
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_processing_id_t processing;
    static dvm_data_id_t data[BENCH_DATA];
    int placed = by_rank(&bench), modes = by_modes(&bench);
    dvm_begin(&bench);
    processing_new(modes, processing);
    for (size_t i = 0; i < BENCH_DATA; i++)
        number_new(i, &data[i]);
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
            const dvm_rank_t *where = placed ? &ranks[i % rank_count] : NULL;
            read_once(processing, where, modes, &data[i % BENCH_DATA]);
        }
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
