/* Tasks near their data: they run in the process that has most of the bytes. */
#include "several.h"

static dvm_processing_id_t maker, producer, near;

/* Writes an output of some size. */
static int produce(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    void *at = NULL;
    size_t size;
    CHECK_OK(dvm_data_get(ids[count - 1], &at, &size));
    fill_pattern(at, size, size);
    return 0;
}

typedef struct {
    uint64_t process, sums[4];
} answer_t;

static int look(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    answer_t answer = {my_process(), {0}};
    for (int i = 0; i < count - 1; i++) {
        void *at = NULL;
        size_t size;
        CHECK_OK(dvm_data_get(ids[i], &at, &size));
        answer.sums[i] = sum_of(at, size);
    }
    return output_bytes(ids[count - 1], &answer, sizeof answer);
}

/* A datum whose bytes are in this process. */
static void bytes_in(uint64_t process, uint64_t size, int produced, dvm_data_id_t id)
{
    dvm_data_id_t ids[2];
    if (produced) {
        promise_of(size, id);
        CHECK_OK(on_process(process, producer, (uint64_t(*)[2])id, 1));
        return;
    }
    new_bytes(ids[0], &size, sizeof size);
    promise_of(sizeof ids[0], ids[1]);
    CHECK_OK(on_process(process, maker, ids, 2));
    take_bytes(ids[1], id, sizeof ids[1]);
}

static uint64_t pattern_sum(size_t size)
{
    void *at = malloc(size);
    fill_pattern(at, size, size);
    uint64_t sum = sum_of(at, size);
    free(at);
    return sum;
}

/* Most bytes in one process, some in all others. */
static void weigh(uint64_t most, int produced, int wait)
{
    static const size_t big = 1 << 20, small = 3000;
    dvm_data_id_t ids[4];
    answer_t answer;
    bytes_in(most + 1, small, !produced, ids[0]);
    bytes_in(most, big, produced, ids[1]);
    bytes_in(most + 2, small, produced, ids[2]);
    promise_of(sizeof answer, ids[3]);
    if (wait)
        CHECK_OK(dvm_wait());
    CHECK_OK(dvm_sched_near(near, ids, 4));
    if (take_bytes(ids[3], &answer, sizeof answer)) {
        CHECK_NUMBER(most, answer.process);
        CHECK_NUMBER(pattern_sum(small), answer.sums[0]);
        CHECK_NUMBER(pattern_sum(big), answer.sums[1]);
        CHECK_NUMBER(pattern_sum(small), answer.sums[2]);
    }
}

static void drive(void)
{
    learn_ranks();
    several_register(make_datum, NULL, 2, 1, "maker", maker);
    several_register(produce, NULL, 1, 1, "producer", producer);
    several_register(look, NULL, 4, 1, "near", near);
    for (int round = 0; round < 5; round++)
        for (uint64_t most = 0; most < process_count; most++)
            for (int produced = 0; produced < 2; produced++)
                weigh(most, produced, round % 2);
    CHECK_OK(dvm_wait());
}

int main(void)
{
    return several_main("near", drive);
}
