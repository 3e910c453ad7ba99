/* Every process is gone as soon as its finalize has returned: for nobody that is a loss, however late the others hear of the end.
 * also as: 9
 * only by dvmrun: a program of MPI may not end before MPI_Finalize
 * And each life of the job is told of its own end only. */
#include "several.h"

enum { LIVES = 3 };

static int nothing(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

int main(void)
{
    for (int life = 0; life < LIVES; life++) {
        dvm_processing_id_t p;
        several_begin();
        several_register(nothing, NULL, 0, 0, "nothing", p);
        if (process_index == 0) {
            for (uint64_t i = 0; i < rank_count; i++)
                CHECK_OK(on_rank(i, p, NULL, 0));
        } else {
            CHECK_OK(dvm_serve());
        }
        CHECK_OK(dvm_finalize());
    }
    int status = several_result("leaving");
    fflush(NULL);
    _Exit(status);
}
