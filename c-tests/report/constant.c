/* A program with only constant ids, ranks, modes and texts can call the functions that read them. */
#include <dvm.h>

int callback(void *context, dvm_data_id_t *ids, int count);
void constant(const dvm_data_id_t id, const dvm_processing_id_t processing, const dvm_rank_t rank);

void constant(const dvm_data_id_t id, const dvm_processing_id_t processing, const dvm_rank_t rank)
{
    static const int modes[] = {DVM_IN};
    static const char name[] = "a constant name";
    dvm_processing_id_t made;
    dvm_data_id_t next;
    uint64_t distance;
    void *at;
    size_t size;
    (void)dvm_rank_distance(rank, rank, &distance);
    (void)dvm_data_get(id, &at, &size);
    (void)dvm_data_put(id);
    (void)dvm_data_write(id, &at, &size);
    (void)dvm_data_publish(id);
    (void)dvm_data_next(id, &next);
    (void)dvm_processing_register_v(callback, NULL, 1, name, made);
    (void)dvm_processing_access(processing, modes);
    (void)dvm_processing_cores(processing, 1);
    (void)dvm_sched_onto_v(rank, processing, NULL, 0);
    (void)dvm_sched_near(processing, NULL, 0);
#ifdef __cplusplus
    (void)dvm_processing_register(DVM_CALLBACK(callback), 1, "a literal", made);
#endif
}
