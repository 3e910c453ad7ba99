/* Data: registration, allocation, references, stale identifiers, get and put. */
#include "check.h"

#include <pthread.h>

/* ----- free_cb records its arguments ----- */

static atomic_int frees;
static _Atomic(void *) freed_address;
static atomic_size_t freed_size;

static void on_free(void *address, size_t size)
{
    atomic_store(&freed_address, address);
    atomic_store(&freed_size, size);
    atomic_fetch_add(&frees, 1);
}

static int do_nothing(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

static void nothing_of(int arguments, dvm_processing_id_t id)
{
    CHECK_OK(dvm_processing_register_v(do_nothing, NULL, arguments, "nothing", id));
}

static void registered(void)
{
    char buffer[100];
    dvm_data_id_t id = {0, 0};
    void *at = NULL;
    size_t size = 0;
    uint64_t process = 99, processes = 0;

    atomic_store(&frees, 0);
    CHECK_OK(dvm_process(&process, &processes));
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    CHECK(id[0] != 0 || id[1] != 0);
    CHECK_NUMBER(process, id[0]);

    /* The memory is used in place. */
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK(at == buffer);
    CHECK_NUMBER(sizeof buffer, size);
    CHECK_OK(dvm_data_put(id));
    CHECK_NUMBER(0, atomic_load(&frees));

    CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK(atomic_load(&freed_address) == buffer);
    CHECK_NUMBER(sizeof buffer, atomic_load(&freed_size));
    CHECK_GONE(id);
    CHECK_NUMBER(1, atomic_load(&frees));

    /* Without a call-back. */
    CHECK_OK(dvm_data_register(buffer, 1, NULL, &id));
    CHECK_OK(dvm_data_relax(id));
    CHECK_GONE(id);

    /* The same memory may be registered twice. */
    dvm_data_id_t one, two;
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &one));
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &two));
    CHECK(one[1] != two[1]);
    CHECK_OK(dvm_data_relax(one));
    CHECK_OK(dvm_data_relax(two));
    CHECK_NUMBER(3, atomic_load(&frees));
}

static void allocated(void)
{
    static const size_t sizes[] = {1, 63, 64, 65, 4096, 1000003};
    dvm_data_id_t id;
    void *at;
    size_t size;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        /* Twice, to see that reused memory is zeroed. */
        for (int round = 0; round < 2; round++) {
            CHECK_OK(dvm_data_allocate(sizes[i], &id));
            CHECK_OK(dvm_data_get(id, &at, &size));
            CHECK_NUMBER(sizes[i], size);
            CHECK_NUMBER(0, (uintptr_t)at % 64);
            size_t dirty = 0;
            for (size_t k = 0; k < size; k++)
                dirty += ((unsigned char *)at)[k] != 0;
            CHECK_NUMBER(0, dirty);
            memset(at, 0xee, size);
            CHECK_OK(dvm_data_put(id));
            CHECK_OK(dvm_data_relax(id));
        }
    }

    dvm_data_id_t none = {5, 6};
    CHECK_CODE(DVM_ERR_MEMORY, dvm_data_allocate(SIZE_MAX, &none));
    CHECK_CODE(DVM_ERR_MEMORY, dvm_data_allocate(SIZE_MAX / 2, &none));
    CHECK(none[0] == 5 && none[1] == 6);
}

static void size_zero(void)
{
    char byte;
    dvm_data_id_t id;
    void *at;
    size_t size = 7;
    dvm_rank_t rank;
    dvm_processing_id_t nothing;

    nth_rank(0, rank);
    nothing_of(1, nothing);
    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_allocate(0, &id));
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_NUMBER(0, size);
    CHECK_OK(dvm_data_put(id));
    CHECK_OK(dvm_data_relax(id));

    CHECK_OK(dvm_data_register(&byte, 0, on_free, &id));
    CHECK_OK(dvm_sched_onto(rank, nothing, id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK_NUMBER(0, atomic_load(&freed_size));
    CHECK_GONE(id);
    CHECK_OK(dvm_processing_unregister(&nothing));
}

static void references(void)
{
    char buffer[8];
    dvm_data_id_t id;

    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    for (int i = 0; i < 10; i++)
        CHECK_OK(dvm_data_acquire(id));
    for (int i = 0; i < 10; i++)
        CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(0, atomic_load(&frees));
    CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(1, atomic_load(&frees));

    CHECK_CODE(DVM_ERR_ID, dvm_data_acquire(id));
    CHECK_CODE(DVM_ERR_ID, dvm_data_relax(id));
    void *at;
    size_t size;
    CHECK_CODE(DVM_ERR_ID, dvm_data_get(id, &at, &size));
    CHECK_CODE(DVM_ERR_ID, dvm_data_put(id));
    CHECK_CODE(DVM_ERR_ID, dvm_data_publish(id));
    CHECK_CODE(DVM_ERR_ID, dvm_data_write(id, &at, &size));
    dvm_data_id_t next;
    CHECK_CODE(DVM_ERR_ID, dvm_data_next(id, &next));
    CHECK_NUMBER(1, atomic_load(&frees));
}

/* A task takes one reference of each of its inputs when it is scheduled and drops it when it has ended. */
static void tasks_take_references(void)
{
    char buffer[8];
    dvm_data_id_t id, gate;
    dvm_processing_id_t one, two;
    dvm_rank_t rank;

    nth_rank(1, rank);
    nothing_of(1, one);
    nothing_of(2, two);
    atomic_store(&frees, 0);

    /* n readers need n - 1 acquires. */
    enum { READERS = 100 };
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    for (int i = 1; i < READERS; i++)
        CHECK_OK(dvm_data_acquire(id));
    for (uint64_t i = 0; i < READERS; i++) {
        dvm_rank_t onto;
        nth_rank(i, onto);
        CHECK_OK(dvm_sched_onto(onto, one, id));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK_GONE(id);

    /* All references are taken while the task waits for its other input. */
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    CHECK_OK(dvm_data_promise(8, &gate));
    CHECK_OK(dvm_sched_onto(rank, two, id, gate));
    CHECK_CODE(DVM_ERR_NO_REFERENCE, dvm_sched_onto(rank, one, id));
    CHECK_CODE(DVM_ERR_NO_REFERENCE, dvm_data_relax(id));
    CHECK_OK(dvm_data_acquire(id));
    CHECK_OK(dvm_sched_onto(rank, one, id));
    CHECK_CODE(DVM_ERR_NO_REFERENCE, dvm_sched_onto(rank, one, id));
    CHECK_OK(dvm_data_acquire(id));
    CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(2, atomic_load(&frees));
    CHECK_GONE(id);
    CHECK_GONE(gate);

    /* A datum passed twice needs two references; a failing attempt takes none. */
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    CHECK_CODE(DVM_ERR_NO_REFERENCE, dvm_sched_onto(rank, two, id, id));
    CHECK_OK(dvm_data_acquire(id));
    CHECK_OK(dvm_sched_onto(rank, two, id, id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(3, atomic_load(&frees));
    CHECK_GONE(id);

    /* A list with one wrong identifier takes no references. */
    dvm_data_id_t stale = {id[0], id[1]};
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    CHECK_CODE(DVM_ERR_ID, dvm_sched_onto(rank, two, id, stale));
    CHECK_CODE(DVM_ERR_ID, dvm_sched_onto(rank, two, stale, id));
    CHECK_OK(dvm_sched_onto(rank, one, id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(4, atomic_load(&frees));

    CHECK_OK(dvm_processing_unregister(&one));
    CHECK_OK(dvm_processing_unregister(&two));
}

/* Gets nest: the bytes stay until the last put, which calls free_cb. */
static void gets_hold(void)
{
    char buffer[8] = "get";
    dvm_data_id_t id;
    void *at = NULL;
    size_t size;

    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(id));
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(0, atomic_load(&frees));
    CHECK_OK(dvm_data_put(id));
    CHECK_NUMBER(0, atomic_load(&frees));
    CHECK(strcmp(at, "get") == 0);
    CHECK_OK(dvm_data_put(id));
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK_CODE(DVM_ERR_ID, dvm_data_put(id));
}

/* Inside a task a get lasts until the task ends, without a put. */
static int read_without_put(void *context, dvm_data_id_t *ids, int count)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_NUMBER(2, count);
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    CHECK(at == context);
    CHECK_OK(dvm_data_get(ids[1], &at, &size));
    CHECK_OK(dvm_data_get(ids[1], &at, &size));
    CHECK_OK(dvm_data_put(ids[1]));
    CHECK_NUMBER(0, atomic_load(&frees));
    return 0;
}

static void gets_in_tasks(void)
{
    char first[16], second[16];
    dvm_data_id_t ids[2];
    dvm_processing_id_t reader;
    dvm_rank_t rank;

    nth_rank(0, rank);
    atomic_store(&frees, 0);
    CHECK_OK(dvm_processing_register_v(read_without_put, first, 2, "read", reader));
    CHECK_OK(dvm_data_register(first, sizeof first, on_free, &ids[0]));
    CHECK_OK(dvm_data_register(second, sizeof second, on_free, &ids[1]));
    CHECK_OK(dvm_sched_onto_v(rank, reader, ids, 2));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(2, atomic_load(&frees));
    CHECK_GONE(ids[0]);
    CHECK_GONE(ids[1]);
    CHECK_OK(dvm_processing_unregister(&reader));
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* No number is issued twice, and a number that was never issued is refused. */
static void identifiers(void)
{
    enum { MANY = 20000 };
    static uint64_t seen[MANY];
    for (int i = 0; i < MANY; i++) {
        dvm_data_id_t id;
        CHECK_OK(dvm_data_allocate(i % 3, &id));
        seen[i] = id[1];
        CHECK_OK(dvm_data_relax(id));
    }
    qsort(seen, MANY, sizeof *seen, compare_words);
    int twice = 0;
    for (int i = 1; i < MANY; i++)
        twice += seen[i] == seen[i - 1];
    CHECK_NUMBER(0, twice);

    static const uint64_t words[] = {0, 1, 2, 255, 1u << 20, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t j = 0; j < sizeof words / sizeof *words; j++) {
            dvm_data_id_t id = {words[i], words[j]};
            if (words[i] > 0 && words[i] < check_processes())
                continue; /* only that process knows */
            CHECK_CODE(DVM_ERR_ID, dvm_data_acquire(id));
            CHECK_CODE(DVM_ERR_ID, dvm_data_relax(id));
        }
}

/* Also not after finalize and init, when everything else is new. */
static void identifiers_over_lives(void)
{
    dvm_data_id_t old, leaked, now;
    static char buffer[4];

    CHECK_OK(dvm_data_allocate(8, &old));
    CHECK_OK(dvm_data_relax(old));
    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &leaked));
    CHECK_OK(dvm_finalize());
    /* Finalize frees the remaining data. */
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK(atomic_load(&freed_address) == buffer);
    CHECK_OK(dvm_init());
    CHECK_GONE(leaked);
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(dvm_data_allocate(8, &now));
        CHECK(memcmp(now, old, sizeof now) != 0 && memcmp(now, leaked, sizeof now) != 0);
        CHECK_OK(dvm_data_relax(now));
    }
}

/* free_cb may use the library: no library lock is held. */
static dvm_data_id_t heir;
static void free_and_allocate(void *address, size_t size)
{
    (void)address, (void)size;
    CHECK_OK(dvm_data_allocate(8, &heir));
    atomic_fetch_add(&frees, 1);
}

static void free_calls_back(void)
{
    char buffer[4];
    dvm_data_id_t id;
    dvm_processing_id_t nothing;
    dvm_rank_t rank;

    nth_rank(0, rank);
    nothing_of(1, nothing);
    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, free_and_allocate, &id));
    CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(1, atomic_load(&frees));
    CHECK_OK(dvm_data_relax(heir));

    CHECK_OK(dvm_data_register(buffer, sizeof buffer, free_and_allocate, &id));
    CHECK_OK(dvm_sched_onto(rank, nothing, id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(2, atomic_load(&frees));
    CHECK_OK(dvm_data_relax(heir));
    CHECK_OK(dvm_processing_unregister(&nothing));
}

/* Any thread, at the same time. */
enum { THREADS = 4, ROUNDS = 2000 };
static dvm_data_id_t shared;

static void *race(void *unused)
{
    (void)unused;
    static char byte;
    for (int i = 0; i < ROUNDS; i++) {
        dvm_data_id_t own;
        void *at;
        size_t size;
        CHECK_OK(dvm_data_acquire(shared));
        CHECK_OK(dvm_data_get(shared, &at, &size));
        CHECK_OK(dvm_data_register(&byte, 1, on_free, &own));
        CHECK_OK(dvm_data_relax(own));
        CHECK_OK(dvm_data_put(shared));
        CHECK_OK(dvm_data_relax(shared));
    }
    CHECK_OK(dvm_data_relax(shared));
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    char buffer[4];

    atomic_store(&frees, 0);
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &shared));
    for (int i = 1; i < THREADS; i++)
        CHECK_OK(dvm_data_acquire(shared));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, race, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK_NUMBER(THREADS * ROUNDS + 1, atomic_load(&frees));
    CHECK_GONE(shared);
}

int main(void)
{
    CHECK_OK(dvm_init());
    registered();
    allocated();
    size_zero();
    references();
    tasks_take_references();
    gets_hold();
    gets_in_tasks();
    identifiers();
    identifiers_over_lives();
    free_calls_back();
    threads();
    CHECK_OK(dvm_finalize());
    return check_end("data");
}
