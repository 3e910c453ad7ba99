/* Life cycle: init, finalize, wait and serve; leftovers; errors that only finalize can report. */
#include "check.h"

#include <dirent.h>
#include <pthread.h>

static int threads_alive(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return -1;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static void order_of_calls(void)
{
    uint64_t index = 99, count = 99;

    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_finalize());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_wait());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_serve());
    CHECK_OK(dvm_init());
    CHECK_CODE(DVM_ERR_ALREADY_INITIALIZED, dvm_init());
    CHECK_OK(dvm_process(&index, &count));
    CHECK_NUMBER(0, index);
    CHECK_NUMBER(check_processes(), count);
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_finalize());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_finalize());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_wait());
}

/* Process 0 does not serve; a communicator needs an MPI that this process does not run. */
static void needs_a_second_process(void)
{
    CHECK_CODE(DVM_ERR_UNSUPPORTED, dvm_init_comm(0));
    CHECK_OK(dvm_init());
    CHECK_CODE(DVM_ERR_UNSUPPORTED, dvm_serve());
    CHECK_OK(dvm_finalize());
}

static int nothing(void)
{
    return 0;
}

static void many_lives(void)
{
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_finalize());
    int before = threads_alive();
    int lives = getenv("DVM_TEST_SHADOWED") ? 4 : 25; /* checkers start threads slowly */
    for (int life = 0; life < lives; life++) {
        dvm_processing_id_t p;
        CHECK_OK(dvm_init());
        CHECK_OK(dvm_processing_register((int (*)())nothing, 0, NULL, p));
        for (uint64_t i = 0; i < 40; i++) {
            dvm_rank_t rank;
            nth_rank(i, rank);
            CHECK_OK(dvm_sched_onto(rank, p));
        }
        CHECK_OK(dvm_finalize()); /* waits, without unregister and without wait */
    }
    int after = threads_alive();
    for (int tries = 0; tries < 4000 && after > before; tries++) {
        check_sleep(5); /* the kernel lets a joined thread linger for a moment */
        after = threads_alive();
    }
    CHECK(after <= before); /* before, one may have lingered, too */
}

static atomic_int ran;
static int slow(void)
{
    check_sleep(50);
    atomic_fetch_add(&ran, 1);
    return 0;
}

static void finalize_waits(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    CHECK_OK(dvm_init());
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())slow, 0, NULL, p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_finalize());
    CHECK_NUMBER(2, atomic_load(&ran));
}

static atomic_int frees;
static void on_free(void *address, size_t size)
{
    (void)address, (void)size;
    atomic_fetch_add(&frees, 1);
}

static int never(dvm_data_id_t id, dvm_data_id_t other)
{
    (void)id, (void)other;
    CHECK(!"a task whose input was never published runs");
    return 0;
}

/* Finalize cancels tasks that wait for data that nobody published, and reports it. */
static void finalize_cancels(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t promise, held;
    dvm_rank_t rank;
    static char buffer[8];

    CHECK_OK(dvm_init());
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())never, 2, "waits forever", p));
    CHECK_OK(dvm_data_promise(8, &promise));
    CHECK_OK(dvm_data_register(buffer, sizeof buffer, on_free, &held));
    CHECK_OK(dvm_sched_onto(rank, p, promise, held));
    CHECK_CODE(DVM_ERR_STATE, dvm_finalize());
    CHECK_NUMBER(1, atomic_load(&frees));
    /* It has finalized. */
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_wait());
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_finalize());
}

/* Unread promises are no error. */
static void finalize_frees_promises(void)
{
    dvm_data_id_t promise;
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_data_promise(8, &promise));
    CHECK_OK(dvm_finalize());
}

static int fails(void)
{
    return 33;
}

static void finalize_reports_failures(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    CHECK_OK(dvm_init());
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())fails, 0, "nobody waited for me", p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_CODE(DVM_ERR_TASK, dvm_finalize());
    CHECK_MENTIONS("nobody waited for me");
    CHECK_MENTIONS("33");
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_finalize());

    /* A failure that a wait reported is not reported again. */
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_processing_register((int (*)())fails, 0, NULL, p));
    nth_rank(0, rank);
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    CHECK_OK(dvm_finalize());
}

/* init, wait and finalize may each come from another thread, one at a time. */
static void *call_init(void *unused)
{
    CHECK_OK(dvm_init());
    return unused;
}
static void *call_finalize(void *unused)
{
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_finalize());
    return unused;
}

static void other_threads(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, call_init, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK_CODE(DVM_ERR_ALREADY_INITIALIZED, dvm_init());
    CHECK(pthread_create(&thread, NULL, call_finalize, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_wait());
}

int main(void)
{
    order_of_calls();
    needs_a_second_process();
    many_lives();
    finalize_waits();
    finalize_cancels();
    finalize_frees_promises();
    finalize_reports_failures();
    other_threads();
    return check_end("lifecycle");
}
