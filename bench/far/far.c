/* What processes of several hosts cost each other, beside MPI itself in the same run: each line is a measure of process 0.
 * Arguments: the seconds for which the processes do nothing, at the end (default 2). */
#include <dvm_mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINKS = 200, WAITS = 50, TASKS = 300000, HOPS = 200 };

static uint64_t process, processes, units;

#define OK(call) ok(call, #call)
static void ok(dvm_retcode_t code, const char *what)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: code %d\n", what, (int)code);
        exit(EXIT_FAILURE);
    }
}

static double seconds_of(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *what, double *samples, int count, double factor, const char *unit)
{
    qsort(samples, (size_t)count, sizeof *samples, compare);
    printf("%-44s %10.1f %s (9 of 10: %.1f)\n", what, samples[count / 2] * factor, unit, samples[count * 9 / 10] * factor);
}

static void nap(double duration)
{
    struct timespec time = {(time_t)duration, (long)((duration - (double)(time_t)duration) * 1e9)};
    nanosleep(&time, NULL);
}

/* ----- MPI alone ----- */

static void raw_hop(void)
{
    double samples[HOPS];
    char byte[8] = "";
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < HOPS; i++) {
        double begun = now();
        if (rank == 0) {
            MPI_Send(byte, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(byte, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(byte, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(byte, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
        samples[i] = (now() - begun) / 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        tell("one hop of MPI, 8 B", samples, HOPS, 1e6, "us");
}

/* ----- tasks ----- */

static int empty(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

/* What it gives is when it has ended. `context`: how many microseconds it takes. */
static int make(void *context, dvm_data_id_t *ids, int count)
{
    void *bytes;
    size_t size;
    (void)count;
    if (dvm_data_get(ids[0], &bytes, &size) != DVM_SUCCESS)
        return 1;
    for (double end = now() + (double)(uintptr_t)context * 1e-6; now() < end;)
        nap(1e-5);
    *(double *)bytes = now();
    return 0;
}

/* How long ago its input was made. */
static int age(void *context, dvm_data_id_t *ids, int count)
{
    void *in, *out;
    size_t size;
    (void)context, (void)count;
    if (dvm_data_get(ids[0], &in, &size) != DVM_SUCCESS || dvm_data_get(ids[1], &out, &size) != DVM_SUCCESS)
        return 1;
    *(double *)out = now() - *(double *)in;
    return 0;
}

/* A unit of a process: those of all have equally many. */
static void unit_of(uint64_t of, dvm_rank_t rank)
{
    OK(dvm_rank_at(of * (units / processes), rank, DVM_MAX_RANK_DEPTH));
}

static double value(dvm_data_id_t id)
{
    void *bytes;
    size_t size;
    OK(dvm_data_get(id, &bytes, &size));
    double found = *(double *)bytes;
    OK(dvm_data_put(id));
    OK(dvm_data_relax(id));
    return found;
}

/* A task of process 1 takes `duration` us; one of process 0 waits for what it makes. */
static void published(uintptr_t duration, const char *what)
{
    double samples[LINKS];
    dvm_processing_id_t maker, ager;
    int out[] = {DVM_OUT}, in_out[] = {DVM_IN, DVM_OUT};
    OK(dvm_processing_register_v(make, (void *)duration, 1, "make", maker));
    OK(dvm_processing_access(maker, out));
    OK(dvm_processing_register_v(age, NULL, 2, "age", ager));
    OK(dvm_processing_access(ager, in_out));
    dvm_rank_t here, there;
    unit_of(0, here);
    unit_of(1, there);
    int count = duration > 1000 ? LINKS / 10 : LINKS;
    for (int i = 0; i < count; i++) {
        dvm_data_id_t ids[2];
        OK(dvm_data_promise(sizeof(double), &ids[0]));
        OK(dvm_data_promise(sizeof(double), &ids[1]));
        OK(dvm_data_acquire(ids[0]));
        OK(dvm_sched_onto_v(there, maker, ids, 1));
        OK(dvm_sched_onto_v(here, ager, ids, 2));
        OK(dvm_data_relax(ids[0]));
        samples[i] = value(ids[1]);
    }
    tell(what, samples, count, 1e6, "us");
}

static void one_direction(void)
{
    dvm_processing_id_t p;
    OK(dvm_processing_register_v(empty, NULL, 0, "empty", p));
    dvm_rank_t there;
    unit_of(1, there);
    double samples[3], busy = 0, whole = 0;
    for (int turn = 0; turn < 3; turn++) {
        double begun = now(), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < TASKS; i++)
            OK(dvm_sched_onto_v(there, p, NULL, 0));
        OK(dvm_wait());
        samples[turn] = TASKS / (now() - begun);
        whole += now() - begun;
        busy += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    }
    printf("%-44s %10.0f %% of a core\n", "the scheduler's share while it sends tasks", busy / whole * 100);
    tell("tasks in one direction", samples, 3, 1e-3, "thousand/s");
}

static void waits(void)
{
    double samples[WAITS];
    for (int i = 0; i < WAITS; i++) {
        double begun = now();
        OK(dvm_wait());
        samples[i] = now() - begun;
    }
    if (process == 0)
        tell("a wait with nothing left", samples, WAITS, 1e6, "us");
}

/* Measures the process's CPU time while nothing runs. */
static void *idle(void *argument)
{
    double *shares = argument;
    for (int i = 0; i < 2; i++) {
        nap(0.05);
        double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        nap(shares[i]);
        shares[i] = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun) / shares[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, level = MPI_THREAD_MULTIPLE;
    double rest = argc > 1 ? atof(argv[1]) : 2;
    if (argc > 2 && strcmp(argv[2], "funneled") == 0)
        level = MPI_THREAD_FUNNELED;
    MPI_Init_thread(&argc, &argv, level, &provided);
    raw_hop();
    OK(dvm_init());
    OK(dvm_process(&process, &processes));
    OK(dvm_rank_count(&units));
    if (processes < 2)
        return EXIT_FAILURE;
    waits();
    double shares[2] = {0.2, rest};
    pthread_t thread;
    if (process == 0) {
        published(0, "made far to its waiting task, at once");
        published(2000, "made far after 2 ms");
        published(20000, "made far after 20 ms");
        one_direction();
        pthread_create(&thread, NULL, idle, shares);
        nap(rest + 0.5);
        OK(dvm_wait());
    } else {
        /* Those of process 0: none of theirs may be missing. */
        for (int i = 0; i < 3; i++)
            OK(dvm_wait());
        pthread_create(&thread, NULL, idle, shares);
        OK(dvm_wait());
    }
    pthread_join(thread, NULL);
    double all[256];
    if (processes > 256)
        return EXIT_FAILURE;
    MPI_Gather(&shares[1], 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (process == 0)
        for (uint64_t i = 0; i < processes; i++)
            printf("idle, process %d %s %10.2f %% of a core\n", (int)i, i ? "(in a wait)          " : "(outside of libdvm) ", all[i] * 100);
    OK(dvm_finalize());
    MPI_Finalize();
    return EXIT_SUCCESS;
}
