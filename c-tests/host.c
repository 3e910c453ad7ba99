/* A host program that jumps inside callbacks, exits and cancels libdvm's threads, and sends signals. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int ran;

static int counts(void)
{
    atomic_fetch_add(&ran, 1);
    return 0;
}

/* The same worker still runs tasks. */
static void check_worker_works(dvm_rank_t rank)
{
    dvm_processing_id_t p;
    int before = atomic_load(&ran);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(counts), 0, "counts", p));
    for (int i = 0; i < 20; i++)
        CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + 20, atomic_load(&ran));
}

/* ----- longjmp ----- */

static void deeper(jmp_buf target, int code)
{
    longjmp(target, code);
}

static void deep(jmp_buf target, int code)
{
    deeper(target, code + 1);
}

static int jumps(dvm_data_id_t id)
{
    jmp_buf target;
    volatile int64_t number = number_in(id);
    int code = setjmp(target);
    if (code == 0)
        deep(target, 6);
    atomic_fetch_add(&ran, (int)number);
    return code == 7 ? 0 : 1;
}

static void a_callback_may_jump_inside_itself(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t id;
    dvm_rank_t rank;

    nth_rank(1, rank);
    new_number(id, 3);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(jumps), 1, "jumps", p));
    for (int i = 0; i < 100; i++) {
        CHECK_OK(dvm_data_acquire(id));
        CHECK_OK(dvm_sched_onto(rank, p, id));
    }
    CHECK_OK(dvm_data_relax(id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(300, atomic_load(&ran));
    CHECK_GONE(id);
    check_worker_works(rank);
}

/* ----- ends of threads ----- */

static atomic_int cleaned;
static pthread_t worker;

static void cleans(void *argument)
{
    atomic_fetch_add((atomic_int *)argument, 1);
}

static int leaves(dvm_data_id_t out)
{
    set_number(out, 1);
    worker = pthread_self();
    pthread_cleanup_push(cleans, &cleaned);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return 0;
}

static int cancels_itself(dvm_data_id_t out)
{
    int state;
    set_number(out, 1);
    pthread_cleanup_push(cleans, &cleaned);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return 0;
}

static int leaves_a_section(dvm_data_id_t out)
{
    (void)out;
    dvm_blocking_begin();
    pthread_exit(NULL);
}

static void a_task_that_ends_its_thread_has_failed(int (*callback)(dvm_data_id_t), int times, int cleanups)
{
    int modes[] = {DVM_OUT};
    dvm_processing_id_t p;
    dvm_rank_t rank;

    nth_rank(0, rank);
    atomic_store(&cleaned, 0);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(callback), 1, "leaves", p));
    CHECK_OK(dvm_processing_access(p, modes));
    for (int i = 0; i < times; i++) {
        dvm_data_id_t out;
        void *at;
        size_t size;
        CHECK_OK(dvm_data_promise(8, &out));
        CHECK_OK(dvm_sched_onto(rank, p, out));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        CHECK_MENTIONS("pthread_exit");
        CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(out, &at, &size));
        CHECK_OK(dvm_data_relax(out));
        check_worker_works(rank);
    }
    CHECK_NUMBER(cleanups, atomic_load(&cleaned));
}

static int tells_thread(void)
{
    int state = -1;
    worker = pthread_self();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state == PTHREAD_CANCEL_DISABLE ? 0 : 1;
}

static void a_worker_cannot_be_cancelled(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;

    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(tells_thread), 0, "tells", p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(0, pthread_cancel(worker));
    check_worker_works(rank);
}

/* ----- signals ----- */

static atomic_int handled, elsewhere;
static pthread_t host;

static void handles(int signal)
{
    (void)signal;
    atomic_fetch_add(&handled, 1);
    if (!pthread_equal(pthread_self(), host))
        atomic_fetch_add(&elsewhere, 1);
}

static int works_a_while(void)
{
    check_sleep(1);
    return 0;
}

static void handlers_run_on_the_hosts_threads(void)
{
    struct sigaction action;
    dvm_processing_id_t p;

    memset(&action, 0, sizeof action);
    action.sa_handler = handles;
    host = pthread_self();
    CHECK_NUMBER(0, sigaction(SIGUSR1, &action, NULL));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(works_a_while), 0, "works", p));
    for (int i = 0; i < 20; i++) {
        dvm_rank_t rank;
        nth_rank((uint64_t)i, rank);
        CHECK_OK(dvm_sched_onto(rank, p));
        kill(getpid(), SIGUSR1);
    }
    CHECK_OK(dvm_wait());
    CHECK(atomic_load(&handled) > 0);
    CHECK_NUMBER(0, atomic_load(&elsewhere));
}

static _Thread_local sigjmp_buf after_fault;

static void jumps_back(int signal)
{
    siglongjmp(after_fault, signal);
}

static int faults(void)
{
    if (sigsetjmp(after_fault, 1) == 0) {
        if (getenv("DVM_TEST_SHADOWED")) {
            raise(SIGSEGV); /* checkers report a real fault */
        } else {
            volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            *page = 1;
        }
        return 1;
    }
    return 0;
}

static void a_fault_reaches_the_programs_handler(void)
{
    struct sigaction action, before;
    dvm_processing_id_t p;
    dvm_rank_t rank;

    memset(&action, 0, sizeof action);
    action.sa_handler = jumps_back;
    CHECK_NUMBER(0, sigaction(SIGSEGV, &action, &before));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(faults), 0, "faults", p));
    nth_rank(0, rank);
    for (int i = 0; i < 5; i++)
        CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    sigaction(SIGSEGV, &before, NULL);
    check_worker_works(rank);
}

int main(void)
{
    CHECK_OK(dvm_init());
    a_callback_may_jump_inside_itself();
    a_worker_cannot_be_cancelled();
    a_task_that_ends_its_thread_has_failed(cancels_itself, 1, 1); /* the C library cancels a thread once */
    a_task_that_ends_its_thread_has_failed(leaves, 5, 5);
    a_task_that_ends_its_thread_has_failed(leaves_a_section, 5, 0);
    handlers_run_on_the_hosts_threads();
    a_fault_reaches_the_programs_handler();
    CHECK_OK(dvm_finalize());
    return check_end("host");
}
