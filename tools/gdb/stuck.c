/* A program that gets stuck in a known way, for the test of dvm.py: a task that never ends on the first processing unit,
 * another in its queue, both with an output, one that anybody may run, and tasks that wait for a promise that nobody
 * publishes, for one that is written by hand, and for the output of another task. */
#include <dvm.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int begun, stolen;
static dvm_processing_id_t anybody_id;

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

static int endless(dvm_data_id_t output)
{
    (void)output;
    check(dvm_sched_near(anybody_id, NULL, 0));
    atomic_store(&begun, 1);
    while (atomic_load(&begun))
        ;
    return 0;
}

static int nothing(void)
{
    return 0;
}

static int anybody(void)
{
    atomic_store(&stolen, 1);
    return 0;
}

static int many(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

/* Where the test stops the program. */
void stuck(void)
{
}

int main(void)
{
    dvm_processing_id_t endless_id, queued_id, reads_id, makes_id;
    dvm_data_id_t lost, there, written, never, later, made[6];
    int modes[6] = {DVM_IN, DVM_OUT, DVM_OUT, DVM_OUT, DVM_OUT, DVM_OUT};
    int out[1] = {DVM_OUT};
    void *address;
    size_t size;
    uint64_t workers;
    dvm_rank_t rank;

    check(dvm_init());
    check(dvm_rank_count(&workers));
    check(dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH));
    check(dvm_processing_register(DVM_CALLBACK(endless), 1, "never ends", endless_id));
    check(dvm_processing_access(endless_id, out));
    check(dvm_processing_register(DVM_CALLBACK(nothing), 1, "has its turn later", queued_id));
    check(dvm_processing_access(queued_id, out));
    check(dvm_processing_register(DVM_CALLBACK(nothing), 2, "reads what is lost", reads_id));
    check(dvm_data_promise(24, &lost));
    check(dvm_data_allocate(100, &there));
    check(dvm_data_promise(1, &never));
    check(dvm_data_promise(2, &later));
    check(dvm_processing_register(DVM_CALLBACK(anybody), 0, "is for anybody", anybody_id));
    check(dvm_sched_onto(rank, endless_id, never));
    while (!atomic_load(&begun) || (workers > 1 && !atomic_load(&stolen)))
        ;
    check(dvm_sched_onto(rank, queued_id, later));
    check(dvm_sched_onto(rank, reads_id, lost, there));

    /* A task of more arguments than a descriptor holds, and one that waits for its last output. */
    check(dvm_processing_register_v(many, NULL, 6, "makes five", makes_id));
    check(dvm_processing_access(makes_id, modes));
    check(dvm_data_promise(8, &written));
    check(dvm_data_write(written, &address, &size));
    made[0][0] = written[0];
    made[0][1] = written[1];
    for (int i = 1; i < 6; i++)
        check(dvm_data_promise(8, &made[i]));
    check(dvm_sched_near(makes_id, made, 6));
    check(dvm_data_allocate(0, &there));
    check(dvm_sched_onto(rank, reads_id, made[5], there));
    stuck();
    return 0;
}
