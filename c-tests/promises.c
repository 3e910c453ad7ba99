/* Promises: data that do not exist yet; write and publish; producers; next, which takes over storage. */
#include "check.h"

#include <pthread.h>

static dvm_rank_t here; /* some PU */

/* A processing with a context whose last argument is its output. */
static void producer_of(int (*callback)(void *, dvm_data_id_t *, int), void *context, int arguments, dvm_processing_id_t p)
{
    int modes[8] = {DVM_IN};
    modes[arguments - 1] = DVM_OUT;
    CHECK_OK(dvm_processing_register_v(callback, context, arguments, "producer", p));
    CHECK_OK(dvm_processing_access(p, modes));
}

static void promise_number(dvm_data_id_t id)
{
    CHECK_OK(dvm_data_promise(sizeof(int64_t), (dvm_data_id_t *)id));
}

/* ----- by hand ----- */

static void write_and_publish(void)
{
    dvm_data_id_t id;
    void *at = NULL, *again = NULL;
    size_t size = 0;

    promise_number(id);
    CHECK_OK(dvm_data_write(id, &at, &size));
    CHECK_NUMBER(sizeof(int64_t), size);
    CHECK_NUMBER(0, (uintptr_t)at % 64);
    int64_t value = 41;
    if (at)
        memcpy(at, &value, sizeof value);
    CHECK_OK(dvm_data_publish(id));
    CHECK_NUMBER(41, number_in(id));
    CHECK_OK(dvm_data_get(id, &again, &size));
    CHECK(again == at); /* publishing moves nothing */
    CHECK_OK(dvm_data_put(id));

    /* Written once. */
    CHECK_CODE(DVM_ERR_STATE, dvm_data_publish(id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_write(id, &at, &size));
    CHECK_OK(dvm_data_relax(id));
    CHECK_GONE(id);
}

static void publish_without_writing(void)
{
    dvm_data_id_t id;
    void *at = NULL;
    size_t size = 0, dirty = 0;

    CHECK_OK(dvm_data_promise(1000, &id));
    CHECK_OK(dvm_data_publish(id));
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_NUMBER(1000, size);
    CHECK_NUMBER(0, (uintptr_t)at % 64);
    for (size_t i = 0; i < size; i++)
        dirty += ((char *)at)[i] != 0;
    CHECK_NUMBER(0, dirty);
    CHECK_OK(dvm_data_put(id));
    CHECK_OK(dvm_data_relax(id));

    CHECK_OK(dvm_data_promise(0, &id));
    CHECK_OK(dvm_data_publish(id));
    CHECK_OK(dvm_data_relax(id));
    CHECK_CODE(DVM_ERR_MEMORY, dvm_data_promise(SIZE_MAX, &id));
}

/* Only promises are written and published. */
static void not_promises(void)
{
    dvm_data_id_t id;
    char buffer[8];
    void *at;
    size_t size;

    CHECK_OK(dvm_data_allocate(8, &id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_publish(id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_write(id, &at, &size));
    CHECK_OK(dvm_data_relax(id));
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, NULL, &id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_publish(id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_write(id, &at, &size));
    CHECK_OK(dvm_data_relax(id));
}

/* A get outside of tasks waits for the publication. */
static void *publish_later(void *id)
{
    void *at = NULL;
    size_t size;
    int64_t value = 17;
    check_sleep(50);
    CHECK_OK(dvm_data_write(id, &at, &size));
    if (at)
        memcpy(at, &value, sizeof value);
    CHECK_OK(dvm_data_publish(id));
    return NULL;
}

static void get_waits(void)
{
    pthread_t thread;
    dvm_data_id_t id;
    promise_number(id);
    CHECK(pthread_create(&thread, NULL, publish_later, id) == 0);
    CHECK_NUMBER(17, number_in(id));
    pthread_join(thread, NULL);
    CHECK_OK(dvm_data_relax(id));
}

/* ----- by a task ----- */

static int add_one(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    return set_number(ids[count - 1], number_in(ids[0]) + 1);
}

static void chain(void)
{
    enum { LENGTH = 500 };
    static dvm_data_id_t ids[LENGTH + 1];
    dvm_processing_id_t p;
    dvm_rank_t rank;

    producer_of(add_one, NULL, 2, p);
    for (int i = 0; i <= LENGTH; i++)
        promise_number(ids[i]);
    /* Scheduled from the end: every task waits for the one before it. */
    for (uint64_t i = LENGTH; i > 0; i--) {
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, p, ids[i - 1], ids[i]));
    }
    CHECK_OK(dvm_data_publish(ids[0]));
    CHECK_NUMBER(LENGTH, number_in(ids[LENGTH]));
    CHECK_OK(dvm_wait());
    for (int i = 0; i < LENGTH; i++)
        CHECK_GONE(ids[i]);
    CHECK_OK(dvm_data_relax(ids[LENGTH]));
    CHECK_OK(dvm_processing_unregister(&p));
}

/* A task may publish its output before it ends: readers run meanwhile. */
static atomic_int reader_ran;
static int publish_early(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    set_number(ids[0], 3);
    CHECK_OK(dvm_data_publish(ids[0]));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_publish(ids[0]));
    for (int tries = 0; tries < 12000 && !atomic_load(&reader_ran); tries++)
        check_sleep(5);
    CHECK_NUMBER(1, atomic_load(&reader_ran));
    return 0;
}

static int publish_early_alone(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    set_number(ids[0], 3);
    CHECK_OK(dvm_data_publish(ids[0]));
    return 0;
}

static int read_three(dvm_data_id_t id)
{
    CHECK_NUMBER(3, number_in(id));
    atomic_fetch_add(&reader_ran, 1);
    return 0;
}

static void early_publication(void)
{
    dvm_processing_id_t early, reader;
    dvm_data_id_t id;
    dvm_rank_t first, second;
    uint64_t count = 0;

    CHECK_OK(dvm_rank_count(&count));
    nth_rank(0, first);
    nth_rank(1, second);
    atomic_store(&reader_ran, 0);
    producer_of(count > 1 ? publish_early : publish_early_alone, NULL, 1, early);
    CHECK_OK(dvm_processing_register((int (*)())read_three, 1, "reader", reader));
    promise_number(id);
    CHECK_OK(dvm_sched_onto(first, early, id));
    CHECK_OK(dvm_sched_onto(second, reader, id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1, atomic_load(&reader_ran));
    CHECK_GONE(id);
    CHECK_OK(dvm_processing_unregister(&early));
    CHECK_OK(dvm_processing_unregister(&reader));
}

/* A get of an unpublished promise inside a task is DVM_ERR_NOT_READY: tasks never block. */
static int get_unpublished(void *context, dvm_data_id_t *ids, int count)
{
    (void)ids, (void)count;
    void *at = NULL;
    size_t size;
    CHECK_CODE(DVM_ERR_NOT_READY, dvm_data_get(context, &at, &size));
    return 0;
}

static void not_ready_in_tasks(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t id;
    promise_number(id);
    CHECK_OK(dvm_processing_register_v(get_unpublished, id, 0, NULL, p));
    CHECK_OK(dvm_sched_onto(here, p));
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_data_relax(id)); /* an unfulfilled promise is freed, too */
    CHECK_GONE(id);
    CHECK_OK(dvm_processing_unregister(&p));
}

/* A promise has one producer. */
static void one_producer(void)
{
    dvm_processing_id_t p, consumer;
    dvm_data_id_t gate, id;
    void *at;
    size_t size;

    producer_of(add_one, NULL, 2, p);
    CHECK_OK(dvm_processing_register((int (*)())read_three, 1, NULL, consumer));

    /* Two tasks. */
    promise_number(gate);
    promise_number(id);
    CHECK_OK(dvm_data_acquire(gate));
    CHECK_OK(dvm_sched_onto(here, p, gate, id));
    CHECK_CODE(DVM_ERR_STATE, dvm_sched_onto(here, p, gate, id));
    /* A task and a writer by hand. */
    CHECK_CODE(DVM_ERR_STATE, dvm_data_write(id, &at, &size));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_publish(id));
    CHECK_OK(dvm_data_relax(gate)); /* the failed attempts took nothing */
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1, number_in(id));

    /* A published datum, an allocated one, and one that is being written. */
    dvm_data_id_t allocated, input;
    new_number(input, 0);
    CHECK_CODE(DVM_ERR_STATE, dvm_sched_onto(here, p, input, id));
    CHECK_OK(dvm_data_allocate(8, &allocated));
    CHECK_CODE(DVM_ERR_STATE, dvm_sched_onto(here, p, input, allocated));
    CHECK_OK(dvm_data_relax(allocated));
    CHECK_OK(dvm_data_relax(id));
    promise_number(id);
    CHECK_OK(dvm_data_write(id, &at, &size));
    CHECK_CODE(DVM_ERR_STATE, dvm_sched_onto(here, p, input, id));
    CHECK_OK(dvm_data_relax(id));
    CHECK_OK(dvm_data_relax(input));
    CHECK_GONE(input);
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_OK(dvm_processing_unregister(&consumer));
}

/* The output of a task that fails is poisoned for a waiting get, also on other threads. */
static int fail(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    check_sleep(30);
    return 1;
}

static void poisoned_while_waiting(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t id;
    void *at;
    size_t size;
    producer_of(fail, NULL, 1, p);
    promise_number(id);
    CHECK_OK(dvm_sched_onto(here, p, id));
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(id, &at, &size));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(id, &at, &size));
    CHECK_OK(dvm_data_relax(id));
    CHECK_GONE(id);
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- next ----- */

static atomic_int frees;
static _Atomic(void *) freed;
static void on_free(void *address, size_t size)
{
    CHECK_NUMBER(sizeof(int64_t), size);
    atomic_store(&freed, address);
    atomic_fetch_add(&frees, 1);
}

static _Atomic(void *) seen_input, seen_output;

/* ids: current, next. Adds one in place, or into the copy. */
static int step(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *from = NULL, *to = NULL;
    size_t size = 0;
    int64_t value = -1;
    CHECK_OK(dvm_data_get(ids[0], &from, &size));
    CHECK_OK(dvm_data_get(ids[1], &to, &size));
    CHECK_NUMBER(sizeof value, size);
    if (!from || !to)
        return 1;
    memcpy(&value, to, sizeof value); /* it begins as the current bytes, in place or copied */
    value += 1;
    memcpy(to, &value, sizeof value);
    atomic_store(&seen_input, from);
    atomic_store(&seen_output, to);
    return 0;
}

static dvm_processing_id_t stepper;

/* A chain of updates on registered memory without other readers: no copy, and free_cb at the very end. */
static void in_place(void)
{
    enum { STEPS = 100 };
    int64_t storage = 1000;
    dvm_data_id_t now, next;

    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(&storage, sizeof storage, on_free, &now));
    for (uint64_t i = 0; i < STEPS; i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_data_next(now, &next));
        CHECK_OK(dvm_sched_onto(rank, stepper, now, next));
        memcpy(now, next, sizeof now);
    }
    CHECK_OK(dvm_wait());
    CHECK(atomic_load(&seen_input) == &storage);
    CHECK(atomic_load(&seen_output) == &storage);
    CHECK_NUMBER(1000 + STEPS, number_in(now));
    CHECK_NUMBER(0, atomic_load(&frees));
    CHECK_OK(dvm_data_relax(now));
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK(atomic_load(&freed) == &storage);
    CHECK_NUMBER(1000 + STEPS, storage);
}

/* With another reference or get, the next datum begins as a copy, and the current one keeps its bytes. */
static void copied(void)
{
    int64_t storage = 7;
    dvm_data_id_t now, next;
    void *at;
    size_t size;

    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(&storage, sizeof storage, on_free, &now));
    CHECK_OK(dvm_data_acquire(now));
    CHECK_OK(dvm_data_next(now, &next));
    CHECK_OK(dvm_sched_onto(here, stepper, now, next));
    CHECK_OK(dvm_wait());
    CHECK(atomic_load(&seen_output) != &storage);
    CHECK_NUMBER(0, (uintptr_t)atomic_load(&seen_output) % 64);
    CHECK_NUMBER(7, number_in(now));
    CHECK_NUMBER(8, number_in(next));
    CHECK_OK(dvm_data_relax(next));
    /* The copy was the library's; the registered memory goes with its own last reference. */
    CHECK_OK(dvm_data_relax(now));
    CHECK_NUMBER(1, atomic_load(&frees));

    CHECK_OK(dvm_data_register(&storage, sizeof storage, on_free, &now));
    CHECK_OK(dvm_data_get(now, &at, &size));
    CHECK_OK(dvm_data_next(now, &next));
    CHECK_OK(dvm_sched_onto(here, stepper, now, next));
    CHECK_OK(dvm_wait());
    CHECK(atomic_load(&seen_output) != &storage);
    CHECK_NUMBER(7, storage);
    CHECK_NUMBER(8, number_in(next));
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK_OK(dvm_data_put(now));
    CHECK_NUMBER(2, atomic_load(&frees));
    CHECK_OK(dvm_data_relax(next));
}

/* It can only be an output of a task that also reads that datum; it starts with one reference and takes none. */
static void next_rules(void)
{
    dvm_processing_id_t source;
    dvm_data_id_t now, next, other;

    producer_of(add_one, NULL, 2, source);
    new_number(now, 1);
    new_number(other, 2);
    CHECK_OK(dvm_data_next(now, &next));
    CHECK_CODE(DVM_ERR_STATE, dvm_sched_onto(here, source, other, next));
    void *at;
    size_t size;
    CHECK_CODE(DVM_ERR_STATE, dvm_data_write(next, &at, &size));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_publish(next));
    CHECK_OK(dvm_data_relax(next));
    CHECK_GONE(next);
    CHECK_NUMBER(1, number_in(now));
    CHECK_OK(dvm_data_relax(now));
    CHECK_OK(dvm_data_relax(other));
    CHECK_GONE(now);
    CHECK_OK(dvm_processing_unregister(&source));
}

/* A next of a promise: the whole chain is set up before the first byte exists. */
static void next_of_promise(void)
{
    dvm_data_id_t first, second, third;
    promise_number(first);
    CHECK_OK(dvm_data_next(first, &second));
    CHECK_OK(dvm_data_next(second, &third));
    CHECK_OK(dvm_sched_onto(here, stepper, second, third));
    CHECK_OK(dvm_sched_onto(here, stepper, first, second));
    void *at = NULL;
    size_t size;
    int64_t value = 20;
    CHECK_OK(dvm_data_write(first, &at, &size));
    if (at)
        memcpy(at, &value, sizeof value);
    CHECK_OK(dvm_data_publish(first));
    CHECK_NUMBER(22, number_in(third));
    CHECK_OK(dvm_wait());
    CHECK_GONE(first);
    CHECK_GONE(second);
    CHECK_OK(dvm_data_relax(third));
}

int main(void)
{
    CHECK_OK(dvm_init());
    nth_rank(1, here);
    producer_of(step, NULL, 2, stepper);
    write_and_publish();
    publish_without_writing();
    not_promises();
    get_waits();
    chain();
    early_publication();
    not_ready_in_tasks();
    one_producer();
    poisoned_while_waiting();
    in_place();
    copied();
    next_rules();
    next_of_promise();
    CHECK_OK(dvm_finalize());
    return check_end("promises");
}
