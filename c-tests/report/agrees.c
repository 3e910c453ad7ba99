/* dvm.h declares what the report's listing declares: a prototype of another type does not compile here. */
#include <dvm.h>

/* C99 knows no repeated typedef, even of the same type. */
#if defined(__cplusplus) || __STDC_VERSION__ >= 201112L
#include "types.h"
#endif
#ifdef __cplusplus
#define DVM_TEST_DESCRIPTION const char *
#endif
#include "prototypes.h"

/* The types by their sizes, for the dialects that could not repeat them. */
typedef char rank_is_eight_words[sizeof(dvm_rank_t) == 8 * sizeof(uint64_t) ? 1 : -1];
typedef char data_id_is_two_words[sizeof(dvm_data_id_t) == 2 * sizeof(uint64_t) ? 1 : -1];
typedef char processing_id_is_two_words[sizeof(dvm_processing_id_t) == 2 * sizeof(uint64_t) ? 1 : -1];
typedef char success_is_zero[DVMSUCCESS == 0 && DVM_SUCCESS == 0 && DVM_MAX_RANK_DEPTH == 8 ? 1 : -1];
