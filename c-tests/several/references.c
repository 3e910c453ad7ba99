/* References taken and dropped anywhere: free_cb runs once, at home, after the last one. The argument is the size of the
 * data: small ones come along with their tasks, larger ones are fetched.
 * arguments: 5600
 * arguments: 56
 * With `slow`, freeing takes long: a wait ends after it all the same.
 * arguments: 56 slow
 */
#include "several.h"

enum { DATA = 40 };

static size_t bytes;
static int slow;

static atomic_int freed;
static dvm_processing_id_t fan, keeper, dropper, doubler;

static void release(void *at, size_t size)
{
    CHECK_NUMBER(bytes, size);
    memset(at, 0xee, size);
    free(at);
    if (slow)
        nanosleep(&(struct timespec){0, 300000}, NULL);
    atomic_fetch_add(&freed, 1);
}

/* How a task goes on: `width` tasks with `depth - 1`. */
typedef struct {
    uint64_t depth, width, seed, sum;
    dvm_processing_id_t fan;
} plan_t;

/* Reads the datum, takes references of it here, and hands them to tasks anywhere. */
static int fan_out(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    plan_t plan;
    void *at = bytes_of(ids[1], sizeof plan);
    memcpy(&plan, at, sizeof plan);
    CHECK_NUMBER(plan.sum, sum_of(bytes_of(ids[0], bytes), bytes));
    if (plan.depth == 0)
        return 0;
    plan.depth--;
    /* One that is dropped again, before or after the others. */
    int first = (int)(plan.seed % 2);
    CHECK_OK(dvm_data_acquire(ids[0]));
    if (first)
        CHECK_OK(dvm_data_relax(ids[0]));
    for (uint64_t i = 0; i < plan.width; i++) {
        dvm_data_id_t next[2];
        plan.seed = mixed(plan.seed, i);
        dvm_id_copy(next[0], ids[0]);
        new_bytes(next[1], &plan, sizeof plan);
        CHECK_OK(dvm_data_acquire(ids[0]));
        CHECK_OK(on_rank(plan.seed, plan.fan, next, 2));
    }
    if (!first)
        CHECK_OK(dvm_data_relax(ids[0]));
    return 0;
}

/* Reads a datum that is two arguments. */
static int twice(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *one = bytes_of(ids[0], bytes), *other = bytes_of(ids[1], bytes);
    CHECK_OK(memcmp(one, other, bytes));
    return sum_of(one, bytes) != sum_of(other, bytes);
}

/* Takes a reference that stays in this process. */
static int keep(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_OK(dvm_data_acquire(ids[0]));
    return 0;
}

/* Drops it: the id is no argument, only its bytes are. */
static int drop(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_OK(dvm_data_relax(bytes_of(ids[0], 16)));
    return 0;
}

static uint64_t registered(dvm_data_id_t id, uint64_t seed)
{
    void *at = malloc(bytes);
    fill_pattern(at, bytes, seed);
    uint64_t sum = sum_of(at, bytes);
    CHECK_OK(dvm_data_register(at, bytes, release, (uint64_t(*)[2])id));
    return sum;
}

/* Every process does this with data of its own, all at a time. */
static void fan_all(void)
{
    for (uint64_t i = 0; i < DATA; i++) {
        dvm_data_id_t ids[2];
        plan_t plan = {i % 4, 1 + i % 3, mixed(process_index, i), 0, {0, 0}};
        dvm_id_copy(plan.fan, fan);
        plan.sum = registered(ids[0], plan.seed);
        new_bytes(ids[1], &plan, sizeof plan);
        CHECK_OK(on_rank(plan.seed, fan, ids, 2)); /* with the only reference */
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(DATA, atomic_load(&freed));
}

/* A reference that is held elsewhere keeps a datum that home has given away. */
static void keep_elsewhere(void)
{
    static dvm_data_id_t ids[64];
    int before = atomic_load(&freed);
    uint64_t many = process_count < 64 ? process_count : 64;
    for (uint64_t i = 0; i < many; i++) {
        registered(ids[i], i);
        CHECK_OK(on_process(i, keeper, &ids[i], 1));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before, atomic_load(&freed));
    for (uint64_t i = 0; i < many; i++) {
        dvm_data_id_t argument;
        new_bytes(argument, ids[i], sizeof argument);
        CHECK_OK(on_process(i, dropper, &argument, 1));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + many, atomic_load(&freed));
}

/* A task takes a reference for each argument, also of the same datum. */
static void read_twice(void)
{
    int before = atomic_load(&freed);
    for (uint64_t i = 0; i < DATA; i++) {
        dvm_data_id_t both[2];
        registered(both[0], i);
        CHECK_OK(dvm_data_acquire(both[0]));
        dvm_id_copy(both[1], both[0]);
        CHECK_OK(on_process(i % process_count, doubler, both, 2));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + DATA, atomic_load(&freed));
}

/* Finalize frees what is left, at home. */
static void leave_some(void)
{
    static dvm_data_id_t ids[5];
    for (uint64_t i = 0; i < 5; i++) {
        registered(ids[i], i);
        if (i % 2)
            CHECK_OK(dvm_data_acquire(ids[i]));
        if (i > 2)
            CHECK_OK(on_rank(i, keeper, &ids[i], 1));
    }
    CHECK_OK(dvm_wait());
}

int main(int argc, char **argv)
{
    bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 56;
    slow = argc > 2;
    several_begin();
    several_register(fan_out, NULL, 2, 0, "fan", fan);
    several_register(keep, NULL, 1, 0, "keeper", keeper);
    several_register(drop, NULL, 1, 0, "dropper", dropper);
    several_register(twice, NULL, 2, 0, "doubler", doubler);
    learn_ranks();
    fan_all();
    keep_elsewhere();
    read_twice();
    leave_some();
    int before = atomic_load(&freed);
    CHECK_OK(dvm_finalize());
    CHECK_NUMBER(before + 5, atomic_load(&freed));
    return several_result("references");
}
