/* 21 recovery: a computation that survives the loss of a process.
 *
 *     cc 21_recovery.c -o recovery $(pkg-config --cflags --libs dvm) && DVM_RECOVER=1 dvmrun -n 4 ./recovery
 * environment: DVM_RECOVER=1
 *
 * Process 0 makes all data and schedules all tasks, and a task does nothing but read its inputs and write its output. So every
 * task can run again: after the loss of a process the others run what it had not brought home.
 *
 * Here the last process ends itself in the middle of the work, as a machine that fails would. The program prints the same
 * for any number of processes, also for one, which nobody ends. */
#define _POSIX_C_SOURCE 200809L /* kill() and nanosleep() */
#include <dvm.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CHAINS = 8, STEPS = 50, ELEMENTS = 20000 };

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

/* Memory of a datum: in a task until it ends, elsewhere until put. */
static uint64_t *memory_of(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    check(dvm_data_get(id, &memory, &size));
    return memory;
}

/* One step of the logistic map, in fixed point, for all elements. */
static int step(dvm_data_id_t before, dvm_data_id_t after)
{
    const uint64_t *x = memory_of(before);
    uint64_t *y = memory_of(after);
    for (int i = 0; i < ELEMENTS; i++)
        y[i] = (x[i] * ((1u << 30) - x[i]) >> 30) * 3999 / 1000;
    return 0;
}

static void run(void)
{
    static int second_is_output[] = {DVM_IN, DVM_OUT};
    dvm_processing_id_t step_id;
    dvm_data_id_t last[CHAINS];
    dvm_rank_t rank;
    uint64_t units;

    check(dvm_processing_register(DVM_CALLBACK(step), 2, "step", step_id));
    check(dvm_processing_access(step_id, second_is_output));
    check(dvm_rank_count(&units));
    for (int chain = 0; chain < CHAINS; chain++) {
        check(dvm_data_allocate(ELEMENTS * sizeof(uint64_t), &last[chain]));
        uint64_t *x = memory_of(last[chain]);
        for (uint64_t i = 0; i < ELEMENTS; i++)
            x[i] = (i * 40503 + (uint64_t)chain * 977 + 1) % (1 << 30);
        check(dvm_data_put(last[chain]));
    }
    for (uint64_t i = 0; i < STEPS; i++)
        for (uint64_t chain = 0; chain < CHAINS; chain++) {
            dvm_data_id_t next;
            check(dvm_data_promise(ELEMENTS * sizeof(uint64_t), &next));
            check(dvm_rank_at((i + chain) % units, rank, DVM_MAX_RANK_DEPTH));
            check(dvm_sched_onto(rank, step_id, last[chain], next)); /* takes the reference of last[chain] */
            last[chain][0] = next[0], last[chain][1] = next[1];
        }
    /* A success, whoever was lost. */
    check(dvm_wait());
    for (int chain = 0; chain < CHAINS; chain++) {
        uint64_t *x = memory_of(last[chain]), sum = 0;
        for (int i = 0; i < ELEMENTS; i++)
            sum += x[i];
        printf("chain %d: %llu\n", chain, (unsigned long long)sum);
        check(dvm_data_put(last[chain]));
        check(dvm_data_relax(last[chain]));
    }
}

static void *fail(void *nothing)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    kill(getpid(), SIGKILL);
    return nothing;
}

int main(void)
{
    uint64_t process, processes;
    pthread_t failure;

    check(dvm_init());
    check(dvm_process(&process, &processes));
    if (process == 0) {
        run();
    } else {
        if (process == processes - 1)
            pthread_create(&failure, NULL, fail, NULL);
        check(dvm_serve());
        if (process == processes - 1)
            pthread_join(failure, NULL);
    }
    check(dvm_finalize());
    return 0;
}
