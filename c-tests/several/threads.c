/* Several threads of every process schedule, get and publish at the same time, while one waits. */
#include "several.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 300 };

static dvm_processing_id_t adder;
static atomic_int open_threads;

static int add(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[2], input_number(ids[0]) + input_number(ids[1]));
}

/* A running sum of promises: each turn adds one number on some PU, some numbers are published later. */
static void *thread(void *number)
{
    uint64_t seed = (uintptr_t)number, expected = 0;
    dvm_data_id_t sum;
    new_number(sum, 0);
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        dvm_data_id_t ids[3];
        uint64_t value = mixed(seed, turn);
        int later = value % 3 == 0;
        dvm_id_copy(ids[0], sum);
        if (later)
            promise_of(8, ids[1]);
        else
            new_number(ids[1], (int64_t)value);
        promise_of(8, ids[2]);
        CHECK_OK(on_rank(value, adder, ids, 3));
        if (later) {
            void *at = NULL;
            size_t size;
            CHECK_OK(dvm_data_write(ids[1], &at, &size));
            memcpy(at, &value, sizeof value);
            CHECK_OK(dvm_data_publish(ids[1]));
        }
        expected += value;
        dvm_id_copy(sum, ids[2]);
        if (value % 7 == 0) { /* there and back */
            uint64_t found = 0;
            void *at = bytes_of(sum, 8);
            memcpy(&found, at, 8);
            CHECK_NUMBER(expected, found);
            CHECK_OK(dvm_data_put(sum));
        }
    }
    CHECK_NUMBER(expected, take_number(sum));
    atomic_fetch_add(&open_threads, -1);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    several_begin();
    several_register(add, NULL, 3, 1, "adder", adder);
    atomic_store(&open_threads, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, (void *)(i + 100 * (uintptr_t)process_index)) == 0);
    /* The same number of waits in all processes, whatever their threads do. */
    for (int i = 0; i < 20; i++)
        CHECK_OK(dvm_wait());
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(0, atomic_load(&open_threads));
    return several_end("threads");
}
