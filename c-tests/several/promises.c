/* Promises: made in one process, produced in another, read in a third, for all three; and published by hand. */
#include "several.h"

static dvm_processing_id_t maker, producer, by_hand, reader;

/* Makes a promise in the process of the task, and tells its id. */
static int make(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_data_id_t promise;
    promise_of(input_number(ids[0]), promise);
    return output_bytes(ids[1], promise, sizeof promise);
}

static int produce(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(ids[1], &at, &size));
    fill_pattern(at, size, input_number(ids[0]));
    return 0;
}

/* The promise is no argument: its id is in the first. */
static int publish(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t words[3];
    void *at = bytes_of(ids[0], sizeof words);
    size_t size = 0;
    memcpy(words, at, sizeof words);
    CHECK_OK(dvm_data_write(words, &at, &size));
    fill_pattern(at, size, words[2]);
    CHECK_OK(dvm_data_publish(words));
    dvm_retcode_t again = dvm_data_publish(words);
    CHECK(again == DVM_ERR_STATE || again == DVM_ERR_ID); /* its readers may have freed it */
    return 0;
}

static int sum_it(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    return output_number(ids[1], sum_of(at, size));
}

static uint64_t expected_sum(size_t size, uint64_t seed)
{
    unsigned char *bytes = malloc(size ? size : 1);
    fill_pattern(bytes, size, seed);
    uint64_t sum = sum_of(bytes, size);
    free(bytes);
    return sum;
}

static void made_in(uint64_t process, size_t size, dvm_data_id_t promise)
{
    dvm_data_id_t ids[2];
    uint64_t bytes = size;
    new_bytes(ids[0], &bytes, sizeof bytes);
    promise_of(sizeof ids[0], ids[1]);
    CHECK_OK(on_process(process, maker, ids, 2));
    take_bytes(ids[1], promise, sizeof ids[1]);
}

static void read_in(uint64_t process, dvm_data_id_t promise, dvm_data_id_t sum)
{
    dvm_data_id_t ids[2];
    promise_of(sizeof(uint64_t), sum);
    dvm_id_copy(ids[0], promise);
    dvm_id_copy(ids[1], sum);
    CHECK_OK(on_process(process, reader, ids, 2));
}

static void produced_in(uint64_t process, dvm_data_id_t promise, uint64_t seed)
{
    dvm_data_id_t ids[2];
    new_bytes(ids[0], &seed, sizeof seed);
    dvm_id_copy(ids[1], promise);
    CHECK_OK(on_process(process, producer, ids, 2));
}

static void published_in(uint64_t process, dvm_data_id_t promise, uint64_t seed)
{
    dvm_data_id_t id;
    uint64_t words[3] = {promise[0], promise[1], seed};
    new_bytes(id, words, sizeof words);
    CHECK_OK(on_process(process, by_hand, &id, 1));
}

enum { BEFORE, AFTER, BOTH, HAND, KINDS };

static void one(uint64_t home, uint64_t runner, uint64_t needer, size_t size, int kind)
{
    dvm_data_id_t promise, sums[2];
    uint64_t seed = mixed(home * 100 + runner * 10 + needer, size + kind), expected = expected_sum(size, seed);
    made_in(home, size, promise);
    CHECK_NUMBER(home, promise[0]);
    if (kind != AFTER) {
        CHECK_OK(dvm_data_acquire(promise));
        read_in(needer, promise, sums[0]);
    }
    if (kind == HAND)
        published_in(home, promise, seed);
    else
        produced_in(runner, promise, seed);
    if (kind == BEFORE || kind == HAND) {
        CHECK_OK(dvm_data_relax(promise));
    } else {
        read_in(needer, promise, sums[1]);
        CHECK_NUMBER(expected, take_number(sums[1]));
    }
    if (kind != AFTER)
        CHECK_NUMBER(expected, take_number(sums[0]));
}

/* Readers everywhere before there is a producer. */
static void many_readers(uint64_t home, uint64_t runner, size_t size)
{
    dvm_data_id_t promise, *sums = malloc(rank_count * sizeof *sums);
    uint64_t seed = mixed(home, runner), expected = expected_sum(size, seed);
    made_in(home, size, promise);
    for (uint64_t i = 0; i < rank_count; i++) {
        CHECK_OK(dvm_data_acquire(promise));
        read_in(rank_owner[i], promise, sums[i]);
    }
    produced_in(runner, promise, seed);
    for (uint64_t i = 0; i < rank_count; i++)
        CHECK_NUMBER(expected, take_number(sums[i]));
    void *at = NULL;
    size_t found = 0;
    CHECK_OK(dvm_data_get(promise, &at, &found));
    CHECK_NUMBER(size, found);
    CHECK_NUMBER(expected, sum_of(at, found));
    CHECK_OK(dvm_data_put(promise));
    CHECK_OK(dvm_data_relax(promise));
    free(sums);
}

static void drive(void)
{
    static const size_t sizes[] = {8, 0, 5000, 200000};
    learn_ranks();
    several_register(make, NULL, 2, 1, "maker", maker);
    several_register(produce, NULL, 2, 1, "producer", producer);
    several_register(publish, NULL, 1, 0, "publisher", by_hand);
    several_register(sum_it, NULL, 2, 1, "reader", reader);
    for (uint64_t home = 0; home < process_count; home++)
        for (uint64_t runner = 0; runner < process_count; runner++) {
            for (uint64_t needer = 0; needer < process_count; needer++)
                for (int kind = 0; kind < KINDS; kind++)
                    for (int i = 0; i < 4; i++)
                        one(home, runner, needer, sizes[i], kind);
            many_readers(home, runner, 8);
            many_readers(home, runner, 100000);
        }
    CHECK_OK(dvm_wait());
}

int main(void)
{
    return several_main("promises", drive);
}
