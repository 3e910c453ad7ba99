/* Ranks: one table for all processes; a task runs where it was sent; load; what is no rank. */
#include "several.h"

typedef struct {
    uint64_t process;
    dvm_rank_t rank;
} seen_t;

static int see(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    seen_t seen = {my_process(), {0}};
    CHECK_OK(dvm_rank_get(seen.rank, DVM_MAX_RANK_DEPTH));
    return output_bytes(ids[0], &seen, sizeof seen);
}

static dvm_processing_id_t seer, tables, waiter;

/* A digest of the whole table, sizes and distances. */
static uint64_t digest_table(void)
{
    dvm_rank_t size = {0}, one, other;
    int dimension = 0;
    uint64_t count = 0, sum;
    CHECK_OK(dvm_rank_dimension(&dimension));
    CHECK_OK(dvm_rank_size(size, DVM_MAX_RANK_DEPTH));
    CHECK_OK(dvm_rank_count(&count));
    sum = mixed((uint64_t)dimension, count);
    for (int d = 0; d < DVM_MAX_RANK_DEPTH; d++)
        sum = mixed(sum, size[d]);
    for (uint64_t i = 0; i < count; i++) {
        CHECK_OK(dvm_rank_at(i, one, DVM_MAX_RANK_DEPTH));
        for (int d = 0; d < DVM_MAX_RANK_DEPTH; d++) {
            CHECK(d < dimension ? one[d] < size[d] : one[d] == 0);
            sum = mixed(sum, one[d]);
        }
        for (uint64_t k = 0; k < count; k++) {
            uint64_t there = 0, back = 1;
            CHECK_OK(dvm_rank_at(k, other, DVM_MAX_RANK_DEPTH));
            CHECK_OK(dvm_rank_distance(one, other, &there));
            CHECK_OK(dvm_rank_distance(other, one, &back));
            CHECK_NUMBER(there, back);
            CHECK((there == 0) == (i == k));
            CHECK(same_rank(one, other) == (i == k));
            sum = mixed(sum, there);
        }
    }
    CHECK_CODE(DVM_ERR_RANK, dvm_rank_at(count, one, DVM_MAX_RANK_DEPTH));
    return sum;
}

static int digest(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[0], digest_table());
}

static int nothing(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

/* Tasks that wait count as load of the PU that they will run on, wherever that is. */
static void load(void)
{
    enum { EACH = 7 };
    dvm_data_id_t gate;
    dvm_rank_t rank;
    uint64_t found = 0;
    promise_of(8, gate);
    for (uint64_t i = 0; i < rank_count; i++)
        for (int k = 0; k < EACH; k++) {
            CHECK_OK(dvm_data_acquire(gate));
            CHECK_OK(on_rank(i, waiter, &gate, 1));
        }
    for (uint64_t i = 0; i < rank_count; i++) {
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_load(rank, &found));
        CHECK(found >= EACH);
    }
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_data_relax(gate));
    CHECK_OK(dvm_wait());
}

static void no_rank(void)
{
    dvm_data_id_t id;
    dvm_rank_t rank;
    uint64_t number = 0;
    new_number(id, 1);
    nth_rank(0, rank);
    rank[0] = 1000000;
    CHECK_CODE(DVM_ERR_RANK, dvm_sched_onto_v(rank, waiter, &id, 1));
    CHECK_CODE(DVM_ERR_RANK, dvm_sched_load(rank, &number));
    CHECK_OK(on_rank(0, waiter, &id, 1)); /* no reference was taken */
    CHECK_OK(dvm_wait());
    CHECK_GONE(id);
}

int main(void)
{
    dvm_rank_t own, at;
    several_begin();
    several_register(see, NULL, 1, 1, "seer", seer);
    several_register(digest, NULL, 1, 1, "tables", tables);
    several_register(nothing, NULL, 1, 0, "waiter", waiter);
    learn_ranks();
    CHECK(process_index < process_count);

    /* Outside of tasks: a PU of the calling process. */
    int mine = 0;
    CHECK_OK(dvm_rank_get(own, DVM_MAX_RANK_DEPTH));
    for (uint64_t i = 0; i < rank_count; i++) {
        nth_rank(i, at);
        mine += same_rank(own, at) && rank_owner[i] == process_index;
    }
    CHECK_NUMBER(1, mine);

    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t id;
        seen_t seen;
        promise_of(sizeof seen, id);
        CHECK_OK(on_rank(i, seer, &id, 1));
        nth_rank(i, at);
        if (take_bytes(id, &seen, sizeof seen)) {
            CHECK(same_rank(seen.rank, at));
            CHECK_NUMBER(rank_owner[i], seen.process);
        }
    }
    uint64_t expected = digest_table();
    for (uint64_t process = 0; process < process_count; process++) {
        dvm_data_id_t id;
        promise_of(8, id);
        CHECK_OK(on_process(process, tables, &id, 1));
        CHECK_NUMBER(expected, take_number(id));
    }
    load();
    no_rank();
    CHECK_OK(dvm_wait());
    return several_end("ranks");
}
