/* Finalize with tasks that wait for what nobody published: they are cancelled, and finalize says so. */
#include "several.h"

static atomic_int ran;

static int never(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_fetch_add(&ran, 1);
    return 0;
}

int main(void)
{
    several_begin();
    dvm_retcode_t code = DVM_SUCCESS;
    if (process_index == 0) {
        dvm_processing_id_t waiter, maker;
        learn_ranks();
        several_register(never, NULL, 1, 0, "waiter", waiter);
        several_register(promise_told, NULL, 1, 1, "maker", maker);
        for (uint64_t process = 0; process < process_count; process++) {
            dvm_data_id_t answer, promise;
            promise_of(sizeof promise, answer);
            CHECK_OK(on_process(process, maker, &answer, 1));
            take_bytes(answer, promise, sizeof promise);
            for (uint64_t i = 0; i < rank_count; i++) {
                CHECK_OK(dvm_data_acquire(promise));
                CHECK_OK(on_rank(i, waiter, &promise, 1));
            }
        }
    } else {
        code = dvm_serve();
    }
    dvm_retcode_t end = dvm_finalize();
    if (process_index == 0)
        CHECK_NUMBER(DVM_ERR_STATE, end);
    else
        CHECK((code == DVM_SUCCESS || code == DVM_ERR_STATE) && (end == DVM_SUCCESS || end == DVM_ERR_STATE));
    CHECK_NUMBER(0, atomic_load(&ran));
    uint64_t index, count;
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_process(&index, &count)); /* it has finalized */
    return several_result("unpublished");
}
