/* 20 pool: workers that know no task. This program drives; the tasks are in a shared object (20_pool.tasks.c), which this
 * program is linked with, and the workers are another program (20_pool.worker.c), which has never seen it. With
 * DVM_SHIP_CODE=1 the shared object is sent to them when the first task comes.
 *
 *     cc -shared -fPIC 20_pool.tasks.c -o libtasks.so $(pkg-config --cflags --libs dvm)
 *     cc 20_pool.c -o pool -L. -ltasks -Wl,-rpath,$PWD $(pkg-config --cflags --libs dvm)
 *     cc 20_pool.worker.c -o worker $(pkg-config --cflags --libs dvm)
 *     echo '[ "$DVM_PROCESS" = 0 ] && exec ./pool || exec ./worker' > start.sh
 *     DVM_SHIP_CODE=1 dvmrun -n 4 sh start.sh
 *
 * Under an MPI: mpirun -n 1 ./pool : -n 3 ./worker */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 64, PART = 10000 };

int count_primes(dvm_data_id_t range, dvm_data_id_t count); /* of the shared object */

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static dvm_data_id_t ranges[PARTS], counts[PARTS];
    static int modes[] = {DVM_IN, DVM_OUT};
    dvm_processing_id_t task;
    uint64_t ranks, sum = 0;
    void *at;
    size_t size;

    check(dvm_init());
    check(dvm_rank_count(&ranks));
    check(dvm_processing_register(DVM_CALLBACK(count_primes), 2, "count primes", task));
    check(dvm_processing_access(task, modes));

    /* The parts go round over all cores of all processes. */
    for (uint64_t part = 0; part < PARTS; part++) {
        dvm_rank_t rank;
        check(dvm_data_allocate(2 * sizeof(uint64_t), &ranges[part]));
        check(dvm_data_get(ranges[part], &at, &size));
        ((uint64_t *)at)[0] = part * PART;
        ((uint64_t *)at)[1] = (part + 1) * PART;
        check(dvm_data_put(ranges[part]));
        check(dvm_data_promise(sizeof(uint64_t), &counts[part]));
        check(dvm_rank_at(part % ranks, rank, DVM_MAX_RANK_DEPTH));
        check(dvm_sched_onto(rank, task, ranges[part], counts[part]));
    }

    for (int part = 0; part < PARTS; part++) {
        check(dvm_data_get(counts[part], &at, &size)); /* waits for the task */
        sum += *(uint64_t *)at;
        check(dvm_data_put(counts[part]));
        check(dvm_data_relax(counts[part]));
    }
    printf("There are %llu primes below %d.\n", (unsigned long long)sum, PARTS * PART);
    check(dvm_finalize());
    return 0;
}
