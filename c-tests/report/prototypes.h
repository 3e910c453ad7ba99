/* The prototypes that the report's listing (section 4.2.4) prints, token for token, but for `char *description`, which dvm.h
 * makes const in C++. */
#ifndef DVM_TEST_DESCRIPTION
#define DVM_TEST_DESCRIPTION char *
#endif
dvm_retcode_t dvm_rank_dimension(int *dimension);
dvm_retcode_t dvm_rank_get(dvm_rank_t rank_array, int rank_array_size);
dvm_retcode_t dvm_rank_size(dvm_rank_t size_array, int size_array_size);

dvm_retcode_t dvm_data_register(void *addr, size_t size, void (*free_cb)(void *addr, size_t size), dvm_data_id_t *id);
dvm_retcode_t dvm_data_allocate(size_t size, dvm_data_id_t *id);
dvm_retcode_t dvm_data_acquire(dvm_data_id_t id);
dvm_retcode_t dvm_data_relax(dvm_data_id_t id);

dvm_retcode_t dvm_processing_register(int (*callback)(),
                                     int number_of_args,
                                     DVM_TEST_DESCRIPTION description,
                                     dvm_processing_id_t id);
dvm_retcode_t dvm_processing_register_by_name(char *function_name,
                                              int number_of_data_args,
                                              dvm_processing_id_t id);
dvm_retcode_t dvm_processing_unregister(dvm_processing_id_t *id);

dvm_retcode_t dvm_sched_onto(dvm_rank_t rank,
                            dvm_processing_id_t function,
                            ...);
dvm_retcode_t dvm_sched_load(dvm_rank_t rank, uint64_t *load);
