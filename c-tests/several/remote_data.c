/* Data of process 0, of all sizes, read on all PUs, several times. */
#include "several.h"

typedef struct {
    uint64_t sum, size, process;
} answer_t;

static int read_it(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    void *at = NULL;
    answer_t answer = {0, 0, my_process()};
    size_t size = 0;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    answer.sum = sum_of(at, size);
    answer.size = size;
    return output_bytes(ids[count - 1], &answer, sizeof answer);
}

static atomic_int freed;

static void release(void *at, size_t size)
{
    memset(at, 0xee, size);
    free(at);
    atomic_fetch_add(&freed, 1);
}

/* `times` tasks on each PU read a datum. */
static void share(dvm_processing_id_t reader, size_t size, int times, int is_registered)
{
    uint64_t readers = rank_count * times, expected;
    dvm_data_id_t id, *answers = malloc(readers * sizeof *answers);
    int before = atomic_load(&freed);
    void *at = NULL;
    size_t found = 0;
    if (is_registered) {
        at = malloc(size ? size : 1);
        fill_pattern(at, size, size + times);
        CHECK_OK(dvm_data_register(at, size, release, &id));
    } else {
        CHECK_OK(dvm_data_allocate(size, &id));
        CHECK_OK(dvm_data_get(id, &at, &found));
        fill_pattern(at, size, size + times);
        CHECK_OK(dvm_data_put(id));
    }
    expected = sum_of(at, size);
    for (uint64_t i = 0; i < readers; i++) {
        dvm_data_id_t ids[2];
        promise_of(sizeof(answer_t), answers[i]);
        dvm_id_copy(ids[0], id);
        dvm_id_copy(ids[1], answers[i]);
        CHECK_OK(dvm_data_acquire(id));
        CHECK_OK(on_rank(i, reader, ids, 2));
        if (i == readers / 2)
            CHECK_OK(dvm_wait()); /* the others read what is there already */
    }
    for (uint64_t i = 0; i < readers; i++) {
        answer_t answer;
        if (take_bytes(answers[i], &answer, sizeof answer)) {
            CHECK_NUMBER(size, answer.size);
            CHECK_NUMBER(expected, answer.sum);
            CHECK_NUMBER(rank_owner[i % rank_count], answer.process);
        }
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before, atomic_load(&freed));
    CHECK_OK(dvm_data_relax(id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + is_registered, atomic_load(&freed));
    CHECK_GONE(id);
    free(answers);
}

static int read_twice(void *context, dvm_data_id_t *ids, int count)
{
    void *one = NULL, *two = NULL;
    size_t size;
    CHECK_OK(dvm_data_get(ids[0], &one, &size));
    CHECK_OK(dvm_data_get(ids[1], &two, &size));
    CHECK(one == two); /* one copy of a datum that is given twice */
    return read_it(context, ids, count);
}

static void drive(void)
{
    static const size_t sizes[] = {0, 1, 8, 4096, 4097, 65536, 1 << 20, 8 << 20};
    dvm_processing_id_t reader, twice;
    learn_ranks();
    several_register(read_it, NULL, 2, 1, "reader", reader);
    several_register(read_twice, NULL, 3, 1, "reader of one datum twice", twice);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int is_registered = 0; is_registered < 2; is_registered++) {
            share(reader, sizes[i], 1, is_registered);
            share(reader, sizes[i], sizes[i] > 65536 ? 2 : 10, is_registered);
        }
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t ids[3];
        answer_t answer;
        char bytes[100];
        fill_pattern(bytes, sizeof bytes, i);
        new_bytes(ids[0], bytes, sizeof bytes);
        dvm_id_copy(ids[1], ids[0]);
        promise_of(sizeof answer, ids[2]);
        CHECK_OK(dvm_data_acquire(ids[0]));
        CHECK_OK(on_rank(i, twice, ids, 3));
        if (take_bytes(ids[2], &answer, sizeof answer))
            CHECK_NUMBER(sum_of(bytes, sizeof bytes), answer.sum);
    }
    CHECK_OK(dvm_wait());
}

int main(void)
{
    return several_main("remote_data", drive);
}
