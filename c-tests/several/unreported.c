/* A failure that no wait reported is told by finalize. */
#include "several.h"

static int fail(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 7;
}

int main(void)
{
    several_begin();
    dvm_retcode_t code = DVM_SUCCESS;
    if (process_index == 0) {
        dvm_processing_id_t failing;
        several_register(fail, NULL, 0, 0, "failing on purpose", failing);
        for (uint64_t i = 0; i < rank_count; i++)
            CHECK_OK(on_rank(i, failing, NULL, 0));
    } else {
        code = dvm_serve();
    }
    dvm_retcode_t end = dvm_finalize();
    if (process_index == 0) {
        CHECK_NUMBER(DVM_ERR_TASK, end);
        CHECK_MENTIONS("failing on purpose");
    } else {
        CHECK((code == DVM_SUCCESS || code == DVM_ERR_TASK) && (end == DVM_SUCCESS || end == DVM_ERR_TASK));
    }
    uint64_t index, count;
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_process(&index, &count)); /* it has finalized */
    return several_result("unreported");
}
