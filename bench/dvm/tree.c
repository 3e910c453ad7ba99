/* c: tasks that schedule tasks. Without arguments: a processing for each level, whose context is its number. VARIANT `datum`: each
 * task has a datum of its own, which says its level. */
#include "dvm_work.h"

enum { MOST_LEVELS = 64 };

static dvm_processing_id_t levels[MOST_LEVELS], on_datum;

static int node(void *context, dvm_data_id_t *ids, int count)
{
    size_t level = (size_t)context;
    (void)ids, (void)count;
    bench_ran();
    if (level > 0) {
        need(dvm_sched_near(levels[level - 1], NULL, 0));
        need(dvm_sched_near(levels[level - 1], NULL, 0));
    }
    return 0;
}

static void spawn_on(uint64_t level)
{
    dvm_data_id_t datum;
    number_new(level, &datum);
    need(dvm_sched_near(on_datum, &datum, 1)); /* takes the only reference: the datum goes with the task */
}

static int node_on(dvm_data_id_t datum)
{
    uint64_t level = *(uint64_t *)bytes(datum);
    bench_ran();
    if (level > 0) {
        spawn_on(level - 1);
        spawn_on(level - 1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    int with_data = strcmp(bench.variant, "datum") == 0;
    uint64_t tasks = 0;
    if (bench.size >= MOST_LEVELS)
        bench_fail("SIZE", "too many levels");
    dvm_begin(&bench);
    for (size_t level = 0; level < MOST_LEVELS; level++)
        need(dvm_processing_register_v(node, (void *)level, 0, NULL, levels[level]));
    need(dvm_processing_register(DVM_CALLBACK(node_on), 1, "node", on_datum));
    for (int pass = 0; pass < 2; pass++) {
        size_t depth = bench_size(&bench, pass);
        tasks = (2ull << depth) - 1;
        bench_start(&bench);
        if (with_data)
            spawn_on(depth);
        else
            need(dvm_sched_near(levels[depth], NULL, 0));
        need(dvm_wait());
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    need(dvm_finalize());
    return bench_report(&bench, tasks);
}
