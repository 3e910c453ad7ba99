/* d: tasks that read three promises and keep one. VARIANT `rank`: each worker has a block of columns; `near`: near the data. */
#include "dvm_work.h"

static int run(dvm_data_id_t left, dvm_data_id_t middle, dvm_data_id_t right, dvm_data_id_t out)
{
    *(uint64_t *)bytes(out) = stencil_point(*(uint64_t *)bytes(left), *(uint64_t *)bytes(middle), *(uint64_t *)bytes(right));
    bench_ran();
    return 0;
}

static dvm_data_id_t rows[2][BENCH_WIDTH];

/* Three tasks read each value; the last row is read by us alone. */
static void promise(dvm_data_id_t *id, int readers)
{
    need(dvm_data_promise(sizeof(uint64_t), id));
    for (int more = 1; more < readers; more++)
        need(dvm_data_acquire(*id));
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_processing_id_t processing;
    int modes[] = {DVM_IN, DVM_IN, DVM_IN, DVM_OUT}, placed = by_rank(&bench);
    dvm_begin(&bench);
    need(dvm_processing_register(DVM_CALLBACK(run), 4, "point", processing));
    need(dvm_processing_access(processing, modes));
    for (int pass = 0; pass < 2; pass++) {
        size_t steps = bench_size(&bench, pass);
        uint64_t row[BENCH_WIDTH];
        stencil_begin(row);
        for (size_t i = 0; i < BENCH_WIDTH; i++) {
            number_new(row[i], &rows[0][i]);
            need(dvm_data_acquire(rows[0][i]));
            need(dvm_data_acquire(rows[0][i]));
        }
        bench_start(&bench);
        for (size_t t = 0; t < steps; t++) {
            dvm_data_id_t *from = rows[t % 2], *to = rows[(t + 1) % 2];
            for (size_t i = 0; i < BENCH_WIDTH; i++) {
                dvm_data_id_t ids[4];
                promise(&to[i], t + 1 < steps ? 3 : 1);
                dvm_id_copy(ids[0], from[stencil_left(i)]);
                dvm_id_copy(ids[1], from[i]);
                dvm_id_copy(ids[2], from[stencil_right(i)]);
                dvm_id_copy(ids[3], to[i]);
                need(placed ? dvm_sched_onto_v(ranks[i * rank_count / BENCH_WIDTH], processing, ids, 4)
                            : dvm_sched_near(processing, ids, 4));
            }
        }
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
        for (size_t i = 0; i < BENCH_WIDTH; i++) {
            row[i] = *(uint64_t *)bytes(rows[steps % 2][i]);
            need(dvm_data_put(rows[steps % 2][i]));
            need(dvm_data_relax(rows[steps % 2][i]));
        }
        stencil_check(row, steps);
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
