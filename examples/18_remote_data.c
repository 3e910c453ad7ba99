/* 18 remote data: one vector, read by tasks of all processes.
 *
 *     cc 18_remote_data.c -o remote_data $(pkg-config --cflags --libs dvm) && dvmrun -n 4 ./remote_data
 *
 * The vector lives in process 0. Before a task starts, its inputs are brought to the process where it runs, once for all
 * tasks there: later tasks find the copy. Bytes do not change after publication, so copies are never wrong.
 *
 * The other direction is the same: each task's result is a promise of process 0, which a get brings home.
 *
 * Task i adds up the elements i, i + TASKS, i + 2 TASKS ...; the tasks go to all processing units in turn. So the sums do
 * not depend on how many units and processes there are. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 1 << 20, TASKS = 96 };

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

/* Memory of a datum: in a task until it ends, elsewhere until put. */
static void *memory_of(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    check(dvm_data_get(id, &memory, &size));
    return memory;
}

/* The sum of every TASKS-th element. */
static int sum(dvm_data_id_t vector, dvm_data_id_t first, dvm_data_id_t result)
{
    const int64_t *elements = memory_of(vector);
    int64_t *total = memory_of(result);
    *total = 0;
    for (int64_t i = *(int64_t *)memory_of(first); i < ELEMENTS; i += TASKS)
        *total += elements[i];
    return 0;
}

static void run(void)
{
    static int third_is_output[] = {DVM_IN, DVM_IN, DVM_OUT};
    dvm_processing_id_t sum_id;
    dvm_data_id_t vector, first, results[TASKS];
    dvm_rank_t rank;
    uint64_t units;
    int64_t total = 0;

    check(dvm_processing_register(DVM_CALLBACK(sum), 3, "sum", sum_id));
    check(dvm_processing_access(sum_id, third_is_output));
    check(dvm_rank_count(&units));

    check(dvm_data_allocate(ELEMENTS * sizeof(int64_t), &vector));
    int64_t *elements = memory_of(vector);
    for (int64_t i = 0; i < ELEMENTS; i++)
        elements[i] = i * i % 1000;
    check(dvm_data_put(vector));
    /* Each task takes a reference and drops it at its end. The vector was made with one. */
    for (int i = 1; i < TASKS; i++)
        check(dvm_data_acquire(vector));

    for (int64_t i = 0; i < TASKS; i++) {
        check(dvm_data_allocate(sizeof i, &first));
        *(int64_t *)memory_of(first) = i;
        check(dvm_data_put(first));
        check(dvm_data_promise(sizeof total, &results[i]));
        check(dvm_rank_at((uint64_t)i % units, rank, DVM_MAX_RANK_DEPTH));
        check(dvm_sched_onto(rank, sum_id, vector, first, results[i]));
    }
    for (int i = 0; i < TASKS; i++) {
        int64_t result = *(int64_t *)memory_of(results[i]);
        if (i % 32 == 0)
            printf("task %2d: %lld\n", i, (long long)result);
        total += result;
        check(dvm_data_put(results[i]));
        check(dvm_data_relax(results[i]));
    }
    printf("together: %lld\n", (long long)total);
    check(dvm_wait());
}

int main(void)
{
    uint64_t process, processes;

    check(dvm_init());
    check(dvm_process(&process, &processes));
    if (process == 0)
        run();
    else
        check(dvm_serve()); /* runs tasks until process 0 finalizes */
    check(dvm_finalize());
    return 0;
}
