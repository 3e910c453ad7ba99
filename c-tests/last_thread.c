/* Programs whose main ends by pthread_exit: they end, with status 0, once their own threads and their tasks have. Each is a
 * child of this one, which has not called libdvm. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITED_MS = 60000, LEFT_TOO_EARLY = 3 };

static atomic_int left; /* what has to be done before the process may end */

static void at_end(void)
{
    if (atomic_load(&left) != 0)
        _exit(LEFT_TOO_EARLY);
}

static int slow(void)
{
    check_sleep(50);
    atomic_fetch_add(&left, -1);
    return 0;
}

static void schedule(int count)
{
    dvm_processing_id_t function;
    dvm_rank_t place;
    if (dvm_rank_at(0, place, DVM_MAX_RANK_DEPTH) || dvm_processing_register(DVM_CALLBACK(slow), 0, "slow", function))
        _exit(4);
    atomic_fetch_add(&left, count);
    for (int i = 0; i < count; i++)
        if (dvm_sched_onto(place, function))
            _exit(5);
}

static void start(void)
{
    if (dvm_init())
        _exit(6);
}

/* Never calls libdvm. */
static void *stranger(void *unused)
{
    check_sleep(200);
    atomic_fetch_add(&left, -1);
    return unused;
}

static void *user(void *unused)
{
    check_sleep(50); /* until main has ended */
    start();
    schedule(3);
    atomic_fetch_add(&left, -1);
    return unused;
}

static void thread(void *(*body)(void *))
{
    pthread_t started;
    atomic_fetch_add(&left, 1);
    if (pthread_create(&started, NULL, body, NULL))
        _exit(7);
}

static void nothing_left(void)
{
    start();
}

static void tasks_left(void)
{
    start();
    schedule(5);
}

static void a_thread_left(void)
{
    start();
    thread(stranger);
}

static void libdvm_started_by_a_thread(void)
{
    thread(user);
    thread(stranger);
}

static void *for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void a_thread_for_ever(void)
{
    sigset_t set;
    start();
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* inherited by the thread: a signal for the process reaches another one */
    thread(for_ever);
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

/* The status that waitpid gives, or -1 if the program had to be killed; it first gets the signal, after a while. */
static int run(void (*program)(void), int signal)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        atexit(at_end);
        program();
        pthread_exit(NULL);
    }
    for (int waited = 0; waited < WAITED_MS; waited += 5) {
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        if (signal && waited == 500)
            kill(child, signal);
        check_sleep(5);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

int main(void)
{
    CHECK_NUMBER(0, run(nothing_left, 0));
    CHECK_NUMBER(0, run(tasks_left, 0));
    CHECK_NUMBER(0, run(a_thread_left, 0));
    CHECK_NUMBER(0, run(libdvm_started_by_a_thread, 0));
    CHECK_NUMBER(SIGTERM, run(a_thread_for_ever, SIGTERM));
    return check_end("last_thread");
}
