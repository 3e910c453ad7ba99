/* DVM_SCHED_ONTO with its number of ids; each mistake (WRONG) alone must not compile. */
#include <dvm.h>

dvm_retcode_t schedule(dvm_rank_t rank, dvm_processing_id_t none, dvm_processing_id_t two, dvm_data_id_t a, dvm_data_id_t b, int count);

dvm_retcode_t schedule(dvm_rank_t rank, dvm_processing_id_t none, dvm_processing_id_t two, dvm_data_id_t a, dvm_data_id_t b, int count)
{
    (void)count;
#if WRONG == 1
    DVM_SCHED_ONTO(2, rank, two, a);
#elif WRONG == 2
    DVM_SCHED_ONTO(2, rank, two, a, b, a);
#elif WRONG == 3
    DVM_SCHED_ONTO(0, rank, none, a);
#elif WRONG == 4
    DVM_SCHED_ONTO(count, rank, two, a, b);
#elif WRONG == 5
    DVM_SCHED_ONTO(2, rank, two, &a, b);
#endif
    DVM_SCHED_ONTO(0, rank, none);
    return dvm_id_equal(a, b) || dvm_id_is_none(a) ? DVM_SUCCESS : DVM_SCHED_ONTO(2, rank, two, a, b);
}
