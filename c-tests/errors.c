/* Errors of every function, for each wrong argument, before init, while running, and after finalize. */
#include "check.h"

#include <pthread.h>

static int nothing(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

static int plain(void)
{
    return 0;
}

/* Every function, with arguments as valid as possible while the library is not running. */
static void every_function(dvm_retcode_t expected)
{
    dvm_rank_t rank = {0}, other = {0};
    dvm_data_id_t id = {0, 1}, out = {8, 9};
    dvm_processing_id_t p = {0, 1}, made = {8, 9};
    char buffer[8];
    void *at = buffer;
    size_t size = 55;
    uint64_t number = 55, second = 55;
    int dimension = 55, modes[] = {DVM_IN};

    CHECK_CODE(expected, dvm_finalize());
    CHECK_CODE(expected, dvm_wait());
    CHECK_CODE(expected, dvm_serve());
    CHECK_CODE(expected, dvm_process(&number, &second));
    CHECK_CODE(expected, dvm_rank_dimension(&dimension));
    CHECK_CODE(expected, dvm_rank_get(rank, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(expected, dvm_rank_size(rank, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(expected, dvm_rank_count(&number));
    CHECK_CODE(expected, dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(expected, dvm_rank_distance(rank, other, &number));
    CHECK_CODE(expected, dvm_data_register(buffer, sizeof buffer, NULL, &out));
    CHECK_CODE(expected, dvm_data_allocate(8, &out));
    CHECK_CODE(expected, dvm_data_acquire(id));
    CHECK_CODE(expected, dvm_data_relax(id));
    CHECK_CODE(expected, dvm_data_get(id, &at, &size));
    CHECK_CODE(expected, dvm_data_put(id));
    CHECK_CODE(expected, dvm_data_promise(8, &out));
    CHECK_CODE(expected, dvm_data_write(id, &at, &size));
    CHECK_CODE(expected, dvm_data_publish(id));
    CHECK_CODE(expected, dvm_data_next(id, &out));
    CHECK_CODE(expected, dvm_processing_register((int (*)())plain, 0, NULL, made));
    CHECK_CODE(expected, dvm_processing_register_v(nothing, NULL, 0, NULL, made));
    CHECK_CODE(expected, dvm_processing_register_by_name("main", 0, made));
    CHECK_CODE(expected, dvm_processing_access(p, modes));
    CHECK_CODE(expected, dvm_processing_unregister(&p));
    CHECK_CODE(expected, dvm_sched_onto(rank, p));
    CHECK_CODE(expected, dvm_sched_onto(rank, p, id, id, id, id, id, id));
    CHECK_CODE(expected, dvm_sched_onto_v(rank, p, &id, 1));
    CHECK_CODE(expected, dvm_sched_near(p, &id, 1));
    CHECK_CODE(expected, dvm_sched_load(rank, &number));

    /* A failing call changes nothing. */
    CHECK(out[0] == 8 && out[1] == 9 && made[0] == 8 && made[1] == 9);
    CHECK(at == buffer && size == 55 && number == 55 && second == 55 && dimension == 55);
    CHECK(p[0] == 0 && p[1] == 1);
}

/* While the library runs, passes NULL for each pointer in turn. */
static void null_arguments(void)
{
    dvm_rank_t rank;
    dvm_data_id_t id, promise, out = {8, 9};
    dvm_processing_id_t p, takes_one, made = {8, 9};
    char buffer[8];
    void *at = buffer;
    size_t size = 55;
    uint64_t number = 55;

    nth_rank(0, rank);
    CHECK_OK(dvm_data_allocate(8, &id));
    CHECK_OK(dvm_data_promise(8, &promise));
    CHECK_OK(dvm_processing_register_v(nothing, NULL, 0, NULL, p));
    CHECK_OK(dvm_processing_register_v(nothing, NULL, 1, NULL, takes_one));

    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_process(NULL, &number));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_process(&number, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_dimension(NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_get(NULL, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_size(NULL, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_count(NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_at(0, NULL, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_distance(NULL, rank, &number));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_distance(rank, NULL, &number));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_distance(rank, rank, NULL));

    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_register(NULL, 8, NULL, &out));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_register(buffer, 8, NULL, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_allocate(8, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_acquire(NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_relax(NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_get(NULL, &at, &size));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_get(id, NULL, &size));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_get(id, &at, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_put(NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_promise(8, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_write(NULL, &at, &size));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_write(promise, NULL, &size));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_write(promise, &at, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_publish(NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_next(NULL, &out));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_next(id, NULL));

    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register(NULL, 0, "x", made));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register((int (*)())plain, 0, "x", NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register_v(NULL, NULL, 0, "x", made));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register_v(nothing, NULL, 0, "x", NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register_by_name(NULL, 0, made));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register_by_name("main", 0, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(NULL, (int[]){DVM_IN}));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(takes_one, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_unregister(NULL));

    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto(NULL, p));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto(rank, NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto(rank, takes_one, (uint64_t *)NULL));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(NULL, p, NULL, 0));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(rank, NULL, NULL, 0));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(rank, takes_one, NULL, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_near(NULL, NULL, 0));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_near(takes_one, NULL, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_load(NULL, &number));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_load(rank, NULL));

    CHECK(out[0] == 8 && out[1] == 9 && made[0] == 8 && made[1] == 9);
    CHECK(at == buffer && size == 55 && number == 55);

    /* None of it took a reference, started a write or held a get. */
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_data_relax(id));
    CHECK_GONE(id);
    CHECK_OK(dvm_data_publish(promise));
    CHECK_OK(dvm_data_relax(promise));
    CHECK_GONE(promise);
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_OK(dvm_processing_unregister(&takes_one));
}

/* ----- texts ----- */

static void texts(void)
{
    enum { CODES = DVM_ERR_PANIC + 1 };
    for (int a = 0; a < CODES; a++) {
        const char *text = dvm_strerror((dvm_retcode_t)a);
        CHECK(text != NULL && strlen(text) > 3);
        for (int b = 0; b < a; b++)
            CHECK(strcmp(text, dvm_strerror((dvm_retcode_t)b)) != 0);
    }
    /* The values are stable. */
    CHECK_NUMBER(0, DVM_SUCCESS);
    CHECK_NUMBER(0, DVMSUCCESS);
    CHECK_NUMBER(1, DVM_ERR_ARGUMENT);
    CHECK_NUMBER(6, DVM_ERR_ID);
    CHECK_NUMBER(14, DVM_ERR_TASK);
    CHECK_NUMBER(18, DVM_ERR_PANIC);

    static const int unknown[] = {-1, CODES, 1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const char *text = dvm_strerror((dvm_retcode_t)unknown[i]);
        CHECK(text != NULL && text[0] != '\0');
    }
}

/* ----- the last error belongs to its thread ----- */

static void *quiet_thread(void *unused)
{
    const char *text = dvm_last_error();
    CHECK(text != NULL && text[0] == '\0');
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_data_allocate(8, NULL));
    CHECK_MENTIONS("dvm_data_allocate");
    return unused;
}

static void last_error(void)
{
    dvm_data_id_t stale = {0, 123456};
    pthread_t thread;
    CHECK_CODE(DVM_ERR_ID, dvm_data_relax(stale));
    CHECK_MENTIONS("dvm_data_relax");
    CHECK_MENTIONS("123456");
    CHECK(pthread_create(&thread, NULL, quiet_thread, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK_MENTIONS("dvm_data_relax"); /* not the other thread's error */
}

int main(void)
{
    every_function(DVM_ERR_NOT_INITIALIZED);
    texts();
    CHECK_OK(dvm_init());
    null_arguments();
    last_error();
    CHECK_OK(dvm_finalize());
    every_function(DVM_ERR_NOT_INITIALIZED);
    texts();
    return check_end("errors");
}
