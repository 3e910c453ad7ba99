/* Failures: every process waits, and every wait tells them, once; what fails takes its readers with it, wherever they are. */
#include "several.h"

static atomic_int readers_ran;
static dvm_processing_id_t failing, producer, reader, maker, waiter, plain_reader, relaxer, promiser;

static int fail(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 7;
}

static int copy_number(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    atomic_fetch_add(&readers_ran, 1);
    return output_number(ids[count - 1], input_number(ids[0]));
}

static int see(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_fetch_add(&readers_ran, 1);
    return 0;
}

static int wait_for(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_NUMBER(5, input_number(ids[0]));
    return 0;
}

/* Makes a datum in the process of the task, and tells its id. */
static int make(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_data_id_t id;
    new_number(id, 5);
    return output_bytes(ids[1], id, sizeof id);
}

/* Drops a reference of the datum whose id is in the argument. */
static int drop(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_OK(dvm_data_relax(bytes_of(ids[0], 16)));
    return 0;
}

/* The wait of all processes tells this; the next one tells nothing. */
static void wait_tells(const char *part)
{
    dvm_retcode_t code = dvm_wait();
    CHECK_NUMBER(DVM_ERR_TASK, code);
    if (code != DVM_SUCCESS)
        CHECK_MENTIONS(part);
    CHECK_OK(dvm_wait());
}

static void is_poisoned(dvm_data_id_t id)
{
    void *at = NULL;
    size_t size;
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(id, &at, &size));
}

/* Process `from` schedules a failing task on each PU, the others nothing. */
static void told_everywhere(uint64_t from)
{
    if (process_index == from)
        for (uint64_t i = 0; i < rank_count; i++)
            CHECK_OK(on_rank(i, failing, NULL, 0));
    wait_tells("failing on purpose");
    if (process_index == from)
        CHECK_OK(on_process(from + 1, failing, NULL, 0));
    wait_tells("7");
}

/* A chain of promises over all PUs, the first of which fails. */
static void poison(int scheduled_first)
{
    dvm_data_id_t *ids = malloc((rank_count + 2) * sizeof *ids);
    int before = atomic_load(&readers_ran);
    for (uint64_t i = 0; i < rank_count + 2; i++)
        promise_of(8, ids[i]);
    if (scheduled_first)
        CHECK_OK(on_process(process_index + 1, producer, &ids[0], 1));
    for (uint64_t i = 0; i <= rank_count; i++) {
        CHECK_OK(dvm_data_acquire(ids[i]));
        CHECK_OK(dvm_data_acquire(ids[i]));
        CHECK_OK(on_rank(i, reader, &ids[i], 2));
        CHECK_OK(on_rank(i + 1, plain_reader, &ids[i], 1));
    }
    if (!scheduled_first)
        CHECK_OK(on_process(process_index + 1, producer, &ids[0], 1));
    is_poisoned(ids[rank_count + 1]);
    wait_tells("failing producer");
    for (uint64_t i = 0; i < rank_count + 2; i++) {
        is_poisoned(ids[i]);
        CHECK_OK(dvm_data_relax(ids[i]));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before, atomic_load(&readers_ran));
    free(ids);
}

static void made_in(uint64_t process, dvm_data_id_t id)
{
    dvm_data_id_t ids[2];
    new_number(ids[0], 0);
    promise_of(sizeof ids[0], ids[1]);
    CHECK_OK(on_process(process, maker, ids, 2));
    take_bytes(ids[1], id, sizeof ids[1]);
}

static void dropped_in(uint64_t process, dvm_data_id_t id)
{
    dvm_data_id_t argument;
    new_bytes(argument, id, sizeof argument);
    CHECK_OK(on_process(process, relaxer, &argument, 1));
}

/* A task on a datum that was freed: an error at once where the datum lived, and a failed task elsewhere. */
static void unknown_data(void)
{
    dvm_data_id_t ids[2], outside = {1000000, 5};
    if (process_index == 0) {
        uint64_t home = process_count - 1;
        made_in(home, ids[0]);
        promise_of(8, ids[1]);
        dropped_in(home, ids[0]);
        CHECK_OK(dvm_wait());
        dvm_retcode_t code = on_process(home, reader, ids, 2);
        if (home == 0) {
            CHECK_NUMBER(DVM_ERR_ID, code);
            CHECK_OK(on_rank(0, failing, NULL, 0));
        } else {
            CHECK_NUMBER(DVM_SUCCESS, code);
            is_poisoned(ids[1]);
        }
        CHECK_OK(dvm_data_relax(ids[1]));
    } else {
        CHECK_OK(dvm_wait());
    }
    CHECK_NUMBER(DVM_ERR_TASK, dvm_wait());
    CHECK_OK(dvm_wait());
    /* No such process: known at once. */
    CHECK_CODE(DVM_ERR_ID, on_rank(0, plain_reader, &outside, 1));
    CHECK_CODE(DVM_ERR_ID, dvm_data_acquire(outside));
    CHECK_CODE(DVM_ERR_ID, dvm_data_relax(outside));
    CHECK_OK(dvm_wait());
}

/* Two tasks are to produce one promise: the first one does, and the other one fails. At its home that is known at once. */
static void second_producer(uint64_t home, uint64_t runner)
{
    if (process_index == 0) {
        dvm_data_id_t ids[2], promise;
        promise_of(sizeof promise, ids[0]);
        CHECK_OK(on_process(home, promiser, ids, 1));
        take_bytes(ids[0], promise, sizeof promise);
        for (int64_t i = 0; i < 2; i++) {
            new_number(ids[0], 10 + i);
            dvm_id_copy(ids[1], promise);
            dvm_retcode_t code = on_process(runner, reader, ids, 2);
            if (i && (home == 0 || code != DVM_SUCCESS)) /* elsewhere it may be known, too */
                CHECK_NUMBER(DVM_ERR_STATE, code);
            else
                CHECK_NUMBER(DVM_SUCCESS, code);
            if (code != DVM_SUCCESS) {
                CHECK_OK(dvm_data_relax(ids[0]));
                CHECK_OK(on_rank(0, failing, NULL, 0));
            }
        }
        CHECK_NUMBER(10, number_in(promise));
        CHECK_OK(dvm_data_relax(promise));
    }
    CHECK_NUMBER(DVM_ERR_TASK, dvm_wait());
    CHECK_OK(dvm_wait());
}

/* The only reference is taken by a task that waits: there is none for another one. */
static void no_reference(void)
{
    if (process_index == 0) {
        uint64_t home = process_count - 1;
        dvm_data_id_t waits[2], reads[2];
        made_in(home, waits[0]);
        promise_of(8, waits[1]);
        CHECK_OK(dvm_data_acquire(waits[1]));
        CHECK_OK(on_rank(0, waiter, waits, 2));
        dvm_id_copy(reads[0], waits[0]);
        promise_of(8, reads[1]);
        dvm_retcode_t code = on_process(home, reader, reads, 2);
        if (home == 0) {
            CHECK_NUMBER(DVM_ERR_NO_REFERENCE, code);
            CHECK_OK(on_rank(0, failing, NULL, 0));
        } else {
            CHECK_NUMBER(DVM_SUCCESS, code);
            is_poisoned(reads[1]);
        }
        CHECK_OK(dvm_data_publish(waits[1]));
        CHECK_OK(dvm_data_relax(waits[1]));
        CHECK_OK(dvm_data_relax(reads[1]));
    }
    CHECK_NUMBER(DVM_ERR_TASK, dvm_wait());
    CHECK_OK(dvm_wait());
}

int main(void)
{
    several_begin();
    several_register(fail, NULL, 0, 0, "failing on purpose", failing);
    several_register(fail, NULL, 1, 1, "failing producer", producer);
    several_register(copy_number, NULL, 2, 1, "reader", reader);
    several_register(see, NULL, 1, 0, "reader without output", plain_reader);
    several_register(make, NULL, 2, 1, "maker", maker);
    several_register(wait_for, NULL, 2, 0, "waiter", waiter);
    several_register(promise_told, NULL, 1, 1, "promiser", promiser);
    several_register(drop, NULL, 1, 0, "relaxer", relaxer);
    learn_ranks();
    CHECK_OK(dvm_wait());
    for (uint64_t from = 0; from < process_count; from++)
        told_everywhere(from);
    for (int i = 0; i < 6; i++)
        poison(i % 2);
    unknown_data();
    no_reference();
    for (uint64_t home = 0; home < process_count; home++)
        for (uint64_t runner = 0; runner < process_count; runner++)
            second_producer(home, runner);
    return several_end("failures");
}
