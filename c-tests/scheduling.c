/* Scheduling: placement, order, load, tasks near the data, tasks from tasks and from many threads. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>

static uint64_t pu_count(void)
{
    uint64_t count = 0;
    CHECK_OK(dvm_rank_count(&count));
    return count;
}

static uint64_t load_of(dvm_rank_t rank)
{
    uint64_t load = UINT64_MAX;
    CHECK_OK(dvm_sched_load(rank, &load));
    return load;
}

/* ----- each worker takes its ready tasks in the order in which they became ready ----- */

enum { ORDERED = 5000 };
static atomic_int next_place;
static int order[ORDERED];

static int write_place(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    order[atomic_fetch_add(&next_place, 1)] = (int)number_in(ids[0]);
    return 0;
}

static void ready_order(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    static dvm_data_id_t ids[ORDERED];
    int wrong = 0;

    CHECK_OK(dvm_processing_register_v(write_place, NULL, 1, "place", p));
    nth_rank(1, rank);

    /* Published when scheduled: the order of scheduling. */
    for (int i = 0; i < ORDERED; i++) {
        new_number(ids[i], i);
        CHECK_OK(dvm_sched_onto(rank, p, ids[i]));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(ORDERED, atomic_load(&next_place));
    for (int i = 0; i < ORDERED; i++)
        wrong += order[i] != i;
    CHECK_NUMBER(0, wrong);

    /* Published later, backwards: the order of publication, not of scheduling. */
    atomic_store(&next_place, 0);
    for (int i = 0; i < ORDERED; i++) {
        CHECK_OK(dvm_data_promise(sizeof(int64_t), &ids[i]));
        CHECK_OK(dvm_sched_onto(rank, p, ids[i]));
    }
    CHECK_NUMBER(ORDERED, load_of(rank));
    for (int i = ORDERED - 1; i >= 0; i--) {
        void *at = NULL;
        size_t size;
        int64_t value = i;
        CHECK_OK(dvm_data_write(ids[i], &at, &size));
        if (at)
            memcpy(at, &value, sizeof value);
        CHECK_OK(dvm_data_publish(ids[i]));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(0, load_of(rank));
    wrong = 0;
    for (int i = 0; i < ORDERED; i++)
        wrong += order[i] != ORDERED - 1 - i;
    CHECK_NUMBER(0, wrong);
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- load counts the tasks that were scheduled and have not ended ----- */

static int nothing(void)
{
    return 0;
}

static int read_one(dvm_data_id_t id)
{
    (void)id;
    return 0;
}

static void load(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t gate;
    dvm_rank_t rank, other, nowhere = {0, 99, 99, 99};
    uint64_t untouched = 77;

    CHECK_OK(dvm_processing_register((int (*)())read_one, 1, NULL, p));
    CHECK_OK(dvm_data_promise(8, &gate));
    nth_rank(0, rank);
    nth_rank(pu_count() - 1, other);
    for (uint64_t i = 0; i < 10; i++) {
        CHECK_NUMBER(i, load_of(rank));
        CHECK_OK(dvm_data_acquire(gate));
        CHECK_OK(dvm_sched_onto(rank, p, gate));
    }
    if (!same_rank(rank, other))
        CHECK_NUMBER(0, load_of(other));
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(0, load_of(rank));
    CHECK_OK(dvm_data_relax(gate));
    CHECK_CODE(DVM_ERR_RANK, dvm_sched_load(nowhere, &untouched));
    CHECK_CODE(DVM_ERR_RANK, dvm_sched_onto(nowhere, p, gate));
    CHECK_NUMBER(77, untouched);
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- a task waits for data without taking a worker ----- */

static void waiting_takes_no_worker(void)
{
    dvm_processing_id_t waits, runs;
    dvm_data_id_t gate;
    uint64_t count = pu_count();

    CHECK_OK(dvm_processing_register((int (*)())read_one, 1, NULL, waits));
    CHECK_OK(dvm_processing_register_v(write_place, NULL, 1, "place", runs));
    CHECK_OK(dvm_data_promise(8, &gate));
    atomic_store(&next_place, 0);
    for (uint64_t i = 0; i < 4 * count; i++) {
        dvm_rank_t rank;
        dvm_data_id_t number;
        nth_rank(i, rank);
        CHECK_OK(dvm_data_acquire(gate));
        CHECK_OK(dvm_sched_onto(rank, waits, gate));
        new_number(number, 0);
        CHECK_OK(dvm_sched_onto(rank, runs, number));
    }
    for (int tries = 0; tries < 12000 && (uint64_t)atomic_load(&next_place) < 4 * count; tries++)
        check_sleep(5);
    CHECK_NUMBER(4 * count, atomic_load(&next_place));
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_data_relax(gate));
    CHECK_OK(dvm_processing_unregister(&waits));
    CHECK_OK(dvm_processing_unregister(&runs));
}

/* ----- near the data ----- */

static atomic_uint_fast64_t near_ran;
static int ran_near(void *context, dvm_data_id_t *ids, int count)
{
    dvm_rank_t here;
    (void)context, (void)ids, (void)count;
    CHECK_OK(dvm_rank_get(here, DVM_MAX_RANK_DEPTH));
    atomic_fetch_add(&near_ran, 1);
    return 0;
}

static int produce(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return set_number(ids[0], 5);
}

static void near_data(void)
{
    enum { TASKS = 1000 };
    dvm_processing_id_t p, none, producer;
    int out[] = {DVM_OUT};

    CHECK_OK(dvm_processing_register_v(ran_near, NULL, 2, "near", p));
    CHECK_OK(dvm_processing_register_v(ran_near, NULL, 0, "nowhere near", none));
    CHECK_OK(dvm_processing_register_v(produce, NULL, 1, "produce", producer));
    CHECK_OK(dvm_processing_access(producer, out));
    for (uint64_t i = 0; i < TASKS; i++) {
        dvm_data_id_t ids[2];
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_data_promise(sizeof(int64_t), &ids[0]));
        CHECK_OK(dvm_data_allocate(1000, &ids[1]));
        CHECK_OK(dvm_sched_onto(rank, producer, ids[0]));
        CHECK_OK(dvm_sched_near(p, ids, 2));
        CHECK_OK(dvm_sched_near(none, NULL, 0));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(2 * TASKS, atomic_load(&near_ran));

    dvm_data_id_t one;
    CHECK_OK(dvm_data_allocate(8, &one));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_near(p, &one, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_near(p, NULL, 2));
    CHECK_OK(dvm_data_relax(one));
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_OK(dvm_processing_unregister(&none));
    CHECK_OK(dvm_processing_unregister(&producer));
}

/* Idle workers may steal tasks near the data: one long task does not delay those behind it. */
static atomic_int long_running, behind;

static int run_until_others_ran(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_store(&long_running, 1);
    for (int tries = 0; tries < 12000 && atomic_load(&behind) < 8; tries++)
        check_sleep(5);
    CHECK_NUMBER(8, atomic_load(&behind));
    return 0;
}

static int run_behind(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_fetch_add(&behind, 1);
    return 0;
}

static void idle_workers_steal(void)
{
    if (pu_count() == 1)
        return;
    dvm_processing_id_t first, others;
    dvm_data_id_t hot;
    CHECK_OK(dvm_processing_register_v(run_until_others_ran, NULL, 1, "long", first));
    CHECK_OK(dvm_processing_register_v(run_behind, NULL, 1, "behind", others));
    CHECK_OK(dvm_data_allocate(1 << 20, &hot));
    for (int i = 0; i < 8; i++)
        CHECK_OK(dvm_data_acquire(hot));
    CHECK_OK(dvm_sched_near(first, &hot, 1));
    while (!atomic_load(&long_running))
        check_sleep(1);
    for (int i = 0; i < 8; i++)
        CHECK_OK(dvm_sched_near(others, &hot, 1));
    CHECK_OK(dvm_wait());
    CHECK_GONE(hot);
    CHECK_OK(dvm_processing_unregister(&first));
    CHECK_OK(dvm_processing_unregister(&others));
}

/* ----- tasks schedule tasks; a task is never held back by a full queue ----- */

static dvm_processing_id_t tree;
static atomic_int leaves;

static int grow(dvm_data_id_t id)
{
    int64_t depth = number_in(id);
    if (depth == 0) {
        atomic_fetch_add(&leaves, 1);
        return 0;
    }
    for (int child = 0; child < 2; child++) {
        dvm_rank_t rank;
        dvm_data_id_t next;
        nth_rank((uint64_t)(depth * 7 + child), rank);
        new_number(next, depth - 1);
        CHECK_OK(dvm_sched_onto(rank, tree, next));
    }
    return 0;
}

static void tree_of_tasks(void)
{
    dvm_rank_t rank;
    dvm_data_id_t root;
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())grow, 1, "tree", tree));
    new_number(root, 10);
    CHECK_OK(dvm_sched_onto(rank, tree, root));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1 << 10, atomic_load(&leaves));
    CHECK_OK(dvm_processing_unregister(&tree));
}

enum { FLOOD = 100000 };
static dvm_processing_id_t drop;
static atomic_int dropped;
static int count_drop(void)
{
    atomic_fetch_add(&dropped, 1);
    return 0;
}

static int flood_own_worker(void)
{
    dvm_rank_t here;
    CHECK_OK(dvm_rank_get(here, DVM_MAX_RANK_DEPTH));
    for (int i = 0; i < FLOOD; i++)
        if (dvm_sched_onto(here, drop) != DVM_SUCCESS)
            return 1;
    return 0;
}

static void flood(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    nth_rank(1, rank);
    CHECK_OK(dvm_processing_register((int (*)())count_drop, 0, NULL, drop));
    CHECK_OK(dvm_processing_register((int (*)())flood_own_worker, 0, NULL, p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(FLOOD, atomic_load(&dropped));
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_OK(dvm_processing_unregister(&drop));
}

/* ----- application threads schedule at the same time, also while one waits ----- */

enum { THREADS = 4, PER_THREAD = 3000 };
static atomic_int counted;
static int count_one(void)
{
    atomic_fetch_add(&counted, 1);
    return 0;
}

static void *schedule_many(void *processing)
{
    for (uint64_t i = 0; i < PER_THREAD; i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, processing));
    }
    return NULL;
}

static void from_threads(void)
{
    pthread_t thread[THREADS];
    dvm_processing_id_t p;
    CHECK_OK(dvm_processing_register((int (*)())count_one, 0, NULL, p));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, schedule_many, p) == 0);
    CHECK_OK(dvm_wait());
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(THREADS * PER_THREAD, atomic_load(&counted));
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- what a task may not call ----- */

static int forbidden(void)
{
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_wait());
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_init());
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_finalize());
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_serve());
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_init_comm(0));
    return 0;
}

static void in_tasks(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())forbidden, 0, NULL, p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- idle workers sleep ----- */

static double processor_time(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void idle(void)
{
    double used = 1;
    dvm_processing_id_t p;
    CHECK_OK(dvm_processing_register((int (*)())nothing, 0, NULL, p));
    for (uint64_t i = 0; i < pu_count(); i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, p));
    }
    CHECK_OK(dvm_wait());
    /* On a busy machine the workers may look for work for a while before they sleep. */
    for (int tries = 0; tries < 10 && used >= 0.1; tries++) {
        double before = processor_time();
        check_sleep(500);
        used = processor_time() - before;
    }
    CHECK(used < 0.1);
    CHECK_OK(dvm_processing_unregister(&p));
}

int main(void)
{
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_wait()); /* nothing was scheduled: nothing to wait for */
    ready_order();
    load();
    waiting_takes_no_worker();
    near_data();
    idle_workers_steal();
    tree_of_tasks();
    flood();
    from_threads();
    in_tasks();
    idle();
    CHECK_OK(dvm_finalize());
    return check_end("scheduling");
}
