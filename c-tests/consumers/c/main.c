/* A program that only uses installed files. */
#include <dvm.h>

#include <stdio.h>

static int ran;
static int task(void)
{
    ran++;
    return 0;
}

int main(void)
{
    dvm_processing_id_t id;
    dvm_rank_t rank;
    int good = dvm_version() == DVM_VERSION && dvm_init() == DVM_SUCCESS && dvm_rank_get(rank, DVM_MAX_RANK_DEPTH) == DVM_SUCCESS &&
               dvm_processing_register(task, 0, "task", id) == DVM_SUCCESS &&
               dvm_sched_onto(rank, id) == DVM_SUCCESS && dvm_finalize() == DVM_SUCCESS;
    if (!good)
        fprintf(stderr, "consumer: %s\n", dvm_last_error());
    printf("consumer in C: %d task ran\n", ran);
    return good && ran == 1 ? 0 : 1;
}
