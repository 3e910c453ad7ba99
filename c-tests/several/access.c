/* Arguments that are kept (DVM_READ) or updated (DVM_INOUT) by tasks in all processes: every process has chains of its own, and
 * schedules tasks of one processing that process 0 has registered, which the others learn from its id. */
#include "several.h"

enum { WORDS = 200, STEPS = 40, CHAINS = 4 };

/* tile = mixed(tile, step); its sum goes to the output. */
static int update(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    CHECK_NUMBER(3, count);
    uint64_t step = input_number(ids[0]);
    uint64_t *tile = bytes_of(ids[1], WORDS * 8);
    if (!tile)
        return 1;
    for (int i = 0; i < WORDS; i++)
        tile[i] = mixed(tile[i], step + i);
    return output_number(ids[2], sum_of(tile, WORDS * 8));
}

/* Gives the id of the processing to the other processes, by a task on each. */
static dvm_processing_id_t updates;
static atomic_int known;

static int learn(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    memcpy(updates, bytes_of(ids[0], sizeof updates), sizeof updates);
    atomic_store(&known, 1);
    return 0;
}

static void tell_it(void)
{
    dvm_processing_id_t learns;
    several_register(learn, NULL, 1, 0, "learn", learns);
    CHECK_OK(dvm_processing_register_v(update, NULL, 3, "update", updates));
    CHECK_OK(dvm_processing_access(updates, (int[]){DVM_READ, DVM_INOUT, DVM_OUT}));
    for (uint64_t p = 0; p < process_count; p++) {
        dvm_data_id_t id;
        new_bytes(id, updates, sizeof updates);
        CHECK_OK(on_process(p, learns, &id, 1));
    }
}

static void chain(uint64_t seed)
{
    static uint64_t expected[WORDS];
    uint64_t sums[STEPS], expected_sums[STEPS], last[WORDS];
    dvm_data_id_t step, ids[3], results[STEPS];

    fill_pattern(expected, WORDS * 8, seed);
    new_bytes(ids[1], expected, WORDS * 8);
    CHECK_OK(dvm_data_name(ids[1], "tile"));
    uint64_t number = seed;
    new_bytes(step, &number, 8);
    for (int k = 0; k < STEPS; k++) {
        dvm_data_id_t before;
        dvm_id_copy(before, ids[1]);
        dvm_id_copy(ids[0], step); /* all tasks read the same datum */
        promise_of(8, ids[2]);
        dvm_id_copy(results[k], ids[2]);
        CHECK_OK(k % 5 == 4 ? dvm_sched_near(updates, ids, 3) : on_rank(seed + k, updates, ids, 3));
        CHECK(dvm_id_equal(ids[0], step) && !dvm_id_equal(ids[1], before));
        for (int i = 0; i < WORDS; i++)
            expected[i] = mixed(expected[i], seed + i);
        expected_sums[k] = sum_of(expected, WORDS * 8);
    }
    for (int k = 0; k < STEPS; k++) {
        if (take_bytes(results[k], &sums[k], 8))
            CHECK_NUMBER(expected_sums[k], sums[k]);
    }
    if (take_bytes(ids[1], last, WORDS * 8))
        CHECK(memcmp(last, expected, WORDS * 8) == 0);
    CHECK_OK(dvm_data_relax(step));
}

int main(void)
{
    several_begin();
    learn_ranks();
    if (process_index == 0)
        tell_it();
    while (!atomic_load(&known))
        check_sleep(1);
    for (uint64_t seed = 0; seed < CHAINS; seed++)
        chain(seed * process_count + process_index);
    CHECK_OK(dvm_wait());
    return several_end("access");
}
