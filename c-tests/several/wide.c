/* Tasks with many arguments, small and large: more than one message, or one batch, may hold. */
#include "several.h"

enum { MOST = 2000 };

/* The sum over all inputs, in order. */
static int sum_all(void *context, dvm_data_id_t *ids, int count)
{
    int outputs = (int)(uintptr_t)context;
    uint64_t sum = 0;
    for (int i = 0; i < count - outputs; i++) {
        void *at = NULL;
        size_t size = 0;
        CHECK_OK(dvm_data_get(ids[i], &at, &size));
        sum = mixed(sum, sum_of(at, size));
    }
    for (int i = count - outputs; i < count; i++)
        if (output_number(ids[i], sum + (uint64_t)(i - count)))
            return 1;
    return 0;
}

static uint64_t pattern_sum(size_t size, uint64_t seed)
{
    static unsigned char bytes[1 << 20];
    fill_pattern(bytes, size, seed);
    return sum_of(bytes, size);
}

/* `promised`: every third input is published after the task was scheduled. */
static void one(uint64_t rank, int inputs, int outputs, size_t size, int promised)
{
    static dvm_data_id_t ids[2 * MOST];
    static int modes[2 * MOST];
    dvm_processing_id_t p;
    uint64_t sum = 0;
    for (int i = 0; i < inputs; i++) {
        void *at = NULL;
        size_t found;
        modes[i] = DVM_IN;
        sum = mixed(sum, pattern_sum(size, (uint64_t)i));
        if (promised && i % 3 == 0) {
            CHECK_OK(dvm_data_promise(size, &ids[i]));
            continue;
        }
        CHECK_OK(dvm_data_allocate(size, &ids[i]));
        CHECK_OK(dvm_data_get(ids[i], &at, &found));
        fill_pattern(at, size, (uint64_t)i);
        CHECK_OK(dvm_data_put(ids[i]));
    }
    for (int i = inputs; i < inputs + outputs; i++) {
        modes[i] = DVM_OUT;
        promise_of(8, ids[i]);
    }
    CHECK_OK(dvm_processing_register_v(sum_all, (void *)(uintptr_t)outputs, inputs + outputs, "sum of all", p));
    CHECK_OK(dvm_processing_access(p, modes));
    CHECK_OK(on_rank(rank, p, ids, inputs + outputs));
    for (int i = 0; promised && i < inputs; i += 3) {
        void *at = NULL;
        size_t found;
        CHECK_OK(dvm_data_write(ids[i], &at, &found));
        fill_pattern(at, size, (uint64_t)i);
        CHECK_OK(dvm_data_publish(ids[i]));
    }
    for (int i = 0; i < outputs; i++)
        CHECK_NUMBER(sum + (uint64_t)(i - outputs), take_number(ids[inputs + i]));
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_OK(dvm_wait());
    CHECK_GONE(ids[0]);
}

static void drive(void)
{
    static const int counts[] = {1, 63, 64, 65, 300, 341, 700, MOST};
    learn_ranks();
    for (uint64_t process = 0; process < process_count; process++) {
        uint64_t rank = rank_of_process[process];
        for (int promised = 0; promised < 2; promised++) {
            for (int i = 0; i < 8; i++) {
                one(rank, counts[i], 1, 8, promised);
                one(rank, counts[i], counts[i], 1, promised);
                one(rank, counts[i], 3, 0, promised);
            }
            one(rank, 20, 2, 4096, promised);
            one(rank, 100, 2, 4095, promised);
            one(rank, 100, 2, 4097, promised);
            one(rank, 40, 2, 100000, promised);
        }
    }
}

int main(void)
{
    return several_main("wide", drive);
}
