/* Blocking sections, tasks of several cores, and refused calls. */
#include "check.h"

#include <pthread.h>

static uint64_t workers(void)
{
    uint64_t count = 0;
    CHECK_OK(dvm_rank_count(&count));
    return count;
}

/* ----- wrong use ----- */

static int wrong_in_a_task(void)
{
    CHECK_CODE(DVM_ERR_STATE, dvm_blocking_end());
    CHECK_OK(dvm_blocking_begin());
    CHECK_CODE(DVM_ERR_STATE, dvm_blocking_begin());
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_wait());
    CHECK_OK(dvm_blocking_end());
    CHECK_CODE(DVM_ERR_STATE, dvm_blocking_end());
    return 0;
}

static void wrong_use(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;

    CHECK_CODE(DVM_ERR_STATE, dvm_blocking_begin());
    CHECK_MENTIONS("tasks");
    CHECK_CODE(DVM_ERR_STATE, dvm_blocking_end());
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(wrong_in_a_task), 0, "wrong", p));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_cores(p, 0));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_cores(p, -3));
    CHECK_OK(dvm_processing_cores(p, 1));
    nth_rank(0, rank);
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_CODE(DVM_ERR_STATE, dvm_processing_cores(p, 2));
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_CODE(DVM_ERR_PROCESSING, dvm_processing_cores(p, 2));
}

/* ----- a section ----- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived;

/* Ends when all these tasks have started: needs a thread for each. */
static int meets(dvm_data_id_t in, dvm_data_id_t out)
{
    dvm_rank_t before, during, after;
    int64_t expected = number_in(in);

    CHECK_OK(dvm_rank_get(before, DVM_MAX_RANK_DEPTH));
    CHECK_OK(dvm_blocking_begin());
    CHECK_OK(dvm_rank_get(during, DVM_MAX_RANK_DEPTH));
    pthread_mutex_lock(&lock);
    arrived++;
    pthread_cond_broadcast(&changed);
    while (arrived < expected)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    CHECK_NUMBER(expected, number_in(in)); /* all other calls are allowed */
    CHECK_OK(dvm_blocking_end());
    CHECK_OK(dvm_rank_get(after, DVM_MAX_RANK_DEPTH));
    CHECK(same_rank(before, during) && same_rank(before, after));
    return set_number(out, expected + 1);
}

static void a_meeting(void)
{
    enum { TASKS = 24 };
    int modes[] = {DVM_IN, DVM_OUT};
    dvm_data_id_t in, out[TASKS];
    dvm_processing_id_t p;
    dvm_rank_t rank;

    new_number(in, TASKS);
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(meets), 2, "meets", p));
    CHECK_OK(dvm_processing_access(p, modes));
    for (int i = 0; i < TASKS; i++) {
        CHECK_OK(dvm_data_acquire(in));
        CHECK_OK(dvm_data_promise(8, &out[i]));
        CHECK_OK(dvm_sched_onto(rank, p, in, out[i]));
    }
    CHECK_OK(dvm_wait());
    for (int i = 0; i < TASKS; i++) {
        CHECK_NUMBER(TASKS + 1, number_in(out[i]));
        CHECK_OK(dvm_data_relax(out[i]));
    }
    CHECK_OK(dvm_data_relax(in));
}

/* ----- tiles ----- */

static int64_t waiting;

static int tile(void *context, const int64_t *at)
{
    (void)context;
    if (at[0] == 0) { /* the first row waits for the last one of the others, which any worker may run */
        CHECK_OK(dvm_blocking_begin());
        pthread_mutex_lock(&lock);
        while (waiting > 0)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        CHECK_OK(dvm_blocking_end());
    } else {
        pthread_mutex_lock(&lock);
        if (--waiting == 0)
            pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void tiles_may_block(void)
{
    int64_t lower[] = {0, 0}, upper[] = {3, 9};
    int carried[] = {0, 1};
    dvm_graph_t graph = {.size = sizeof graph, .name = "rows", .dimension = 2, .lower = lower, .upper = upper,
                         .carried = carried, .run = tile};
    for (int turn = 0; turn < 5; turn++) {
        waiting = 30;
        CHECK_OK(dvm_graph_run(&graph));
        CHECK_NUMBER(0, waiting);
    }
    /* A lone tile runs on this thread: a section changes nothing. */
    waiting = 1;
    lower[0] = upper[0] = 1;
    upper[1] = 0;
    CHECK_OK(dvm_graph_run(&graph));
}

/* ----- the end of a stand-in ----- */

static atomic_int stood_in;

/* While it sleeps, a stand-in works in its place. */
static int makes_room(void)
{
    CHECK_OK(dvm_blocking_begin());
    check_sleep(20);
    atomic_fetch_add(&stood_in, 1);
    CHECK_OK(dvm_blocking_end());
    return 0;
}

/* A thread whose first call comes after the stand-ins have ended uses what they have left. Data of this size are given
 * back by the thread that relaxes them. */
static void *comes_later(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++) {
        dvm_data_id_t id;
        CHECK_OK(dvm_data_allocate(100000, &id));
        CHECK_OK(dvm_data_relax(id));
    }
    return NULL;
}

static void stand_ins_end(void)
{
    dvm_processing_id_t p;
    pthread_t thread[3];

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(makes_room), 0, "makes room", p));
    for (uint64_t i = 0; i < workers() && i < 4; i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, p));
    }
    CHECK_OK(dvm_wait());
    CHECK(atomic_load(&stood_in) > 0);
    check_sleep(1300); /* a spare thread waits for a second */
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&thread[i], NULL, comes_later, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

/* ----- cores ----- */

static atomic_int busy, wide_now;

static int narrow(void)
{
    atomic_fetch_add(&busy, 1);
    CHECK_NUMBER(0, atomic_load(&wide_now));
    for (volatile int i = 0; i < 2000; i++) {
    }
    atomic_fetch_sub(&busy, 1);
    return 0;
}

static int wide(void)
{
    atomic_store(&wide_now, 1);
    CHECK_NUMBER(0, atomic_load(&busy));
    check_sleep(1);
    CHECK_NUMBER(0, atomic_load(&busy));
    atomic_store(&wide_now, 0);
    return 0;
}

static void all_cores(void)
{
    dvm_processing_id_t one, all;

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(narrow), 0, "narrow", one));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(wide), 0, "wide", all));
    CHECK_OK(dvm_processing_cores(all, (int)workers() + 5));
    for (uint64_t i = 0; i < 400; i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, i % 20 == 7 ? all : one));
    }
    CHECK_OK(dvm_wait());
}

int main(void)
{
    CHECK_OK(dvm_init());
    wrong_use();
    a_meeting();
    tiles_may_block();
    stand_ins_end();
    all_cores();
    CHECK_OK(dvm_finalize());
    return check_end("blocking");
}
