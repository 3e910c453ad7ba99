/* Explanations over processes: what waits for another process says so, and names it. */
#include "several.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define TEXT 20000

static dvm_processing_id_t asks, tells_pid, reads, writes, starts, sleeping;

/* In a task: the explanation of the task's process. */
static int explanation_of_process(void *context, dvm_data_id_t *ids, int count)
{
    void *at = NULL;
    size_t size = 0, needed = 0;
    (void)context, (void)count;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    if (at)
        CHECK_OK(dvm_explain_text(at, size, &needed));
    return at == NULL;
}

static int pid_of_process(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[0], (uint64_t)getpid());
}

static int nothing(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

static int a_number(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    return output_number(ids[count - 1], 42);
}

static int sleeps(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    check_sleep(2000);
    return 0;
}

typedef struct {
    dvm_processing_id_t processing;
    dvm_rank_t rank;
} start_t;

/* Schedules a task for its own process, which no other process has to do with. */
static int starts_another(void *context, dvm_data_id_t *ids, int count)
{
    start_t *start = bytes_of(ids[0], sizeof *start);
    (void)context, (void)count;
    if (start)
        CHECK_OK(dvm_sched_onto_v(start->rank, start->processing, NULL, 0));
    return start == NULL;
}

/* The explanation of a process, in the caller's memory of TEXT bytes. */
static void ask(uint64_t process, char *text)
{
    size_t needed = 0;
    if (process == process_index) {
        CHECK_OK(dvm_explain_text(text, TEXT, &needed));
        return;
    }
    dvm_data_id_t answer;
    promise_of(TEXT, answer);
    CHECK_OK(on_process(process, asks, &answer, 1));
    take_bytes(answer, text, TEXT);
}

/* Asks a process until it says this, for at most a minute. */
static void await_part(uint64_t process, const char *part)
{
    static char text[TEXT];
    int found = 0;
    for (int turn = 0; turn < 6000 && !found; turn++) {
        ask(process, text);
        found = strstr(text, part) != NULL;
        CHECK(strstr(text, "messages of other processes") == NULL);
        if (!found)
            check_sleep(10);
    }
    if (!found)
        fprintf(stderr, "process %" PRIu64 " never told: %s\nbut %s\n", process, part, text);
    CHECK(found);
}

/* A task in another process waits for a promise of this one: both say so. */
static void tasks_elsewhere(uint64_t other)
{
    dvm_data_id_t missing, made, ids[2];
    char part[400];
    promise_of(8, missing);
    promise_of(8, made);
    dvm_id_copy(ids[0], missing);
    dvm_id_copy(ids[1], made);
    CHECK_OK(dvm_data_acquire(missing));
    CHECK_OK(on_process(other, writes, ids, 2));
    CHECK_OK(dvm_data_acquire(made));
    CHECK_OK(on_process(process_index, reads, &made, 1));
    if (other != process_index) {
        snprintf(part, sizeof part, "process %" PRIu64 ": 1 'writes'", other);
        await_part(process_index, part);
        await_part(process_index, "1 in other processes");
        snprintf(part, sizeof part,
                 "Missing: datum {0, %" PRIu64 "} (8 bytes): the output of a task in process %" PRIu64, made[1], other);
        await_part(process_index, part);
        snprintf(part, sizeof part,
                 "'writes' (in {0, %" PRIu64 "}, out {0, %" PRIu64 "}) of process 0 waits for datum {0, %" PRIu64
                 "}: process 0, its home, has not said",
                 missing[1], made[1], missing[1]);
        await_part(other, part);
    } else {
        snprintf(part, sizeof part, "Missing: datum {0, %" PRIu64 "} (8 bytes): nobody is to publish it", missing[1]);
        await_part(process_index, part);
    }
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_write(missing, &at, &size));
    memset(at, 0, size);
    CHECK_OK(dvm_data_publish(missing));
    CHECK_NUMBER(42, take_number(made));
    CHECK_OK(dvm_data_relax(missing));
    CHECK_OK(dvm_wait());
}

static void *waits(void *unused)
{
    (void)unused;
    CHECK_OK(dvm_wait());
    return NULL;
}

/* A wait names the process that it waits for; one that serves waits for nothing. */
static void a_wait_names_whom_it_waits_for(uint64_t other)
{
    pthread_t thread;
    dvm_data_id_t what;
    start_t start;
    char part[200];
    await_part(other, "A thread is in dvm_serve, until process 0 finalizes.");
    CHECK_OK(dvm_wait());
    dvm_id_copy(start.processing, sleeping);
    nth_rank(rank_of_process[other], start.rank);
    new_bytes(what, &start, sizeof start);
    CHECK_OK(on_process(other, starts, &what, 1));
    CHECK_NUMBER(0, pthread_create(&thread, NULL, waits, NULL));
    snprintf(part, sizeof part, "A thread is in dvm_wait, and waits for process %" PRIu64 ", which has not said", other);
    await_part(process_index, part);
    pthread_join(thread, NULL);
}

/* A stopped process is suspected before it is declared lost. */
static void a_stopped_process_is_suspected(uint64_t other)
{
    dvm_data_id_t answer;
    char part[200];
    promise_of(8, answer);
    CHECK_OK(on_process(other, tells_pid, &answer, 1));
    pid_t pid = (pid_t)take_number(answer);
    CHECK(pid > 0 && pid != getpid());
    CHECK_NUMBER(0, kill(pid, SIGSTOP));
    snprintf(part, sizeof part, "process %" PRIu64 " is suspected: it has given no sign of life for ", other);
    await_part(process_index, part);
    CHECK_NUMBER(0, kill(pid, SIGCONT));
    CHECK_OK(dvm_wait());
}

static void drive(void)
{
    static char text[TEXT];
    learn_ranks();
    several_register(explanation_of_process, NULL, 1, 1, "asks", asks);
    several_register(pid_of_process, NULL, 1, 1, "tells pid", tells_pid);
    several_register(nothing, NULL, 1, 0, "reads", reads);
    several_register(a_number, NULL, 2, 1, "writes", writes);
    several_register(starts_another, NULL, 1, 0, "starts", starts);
    several_register(sleeps, NULL, 0, 0, "sleeps", sleeping);
    CHECK_OK(dvm_wait());
    ask(process_index, text);
    CHECK(strstr(text, "Nothing waits") != NULL);
    for (uint64_t other = 0; other < process_count; other++)
        tasks_elsewhere(other);
    if (process_count > 1) {
        a_wait_names_whom_it_waits_for(process_count - 1);
        /* By MPI alone, silence is no sign. */
        if (by_rings_with(process_count - 1))
            a_stopped_process_is_suspected(process_count - 1);
    }
}

int main(void)
{
    return several_main("explain", drive);
}
