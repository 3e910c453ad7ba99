/* The types and constants that the report's listing (section 4.2.4) prints, declaration by declaration. The listing
 * leaves dvm_retcode_t and DVMSUCCESS to the reader. */
#define DVM_MAX_RANK_DEPTH 8
typedef uint64_t dvm_rank_t[DVM_MAX_RANK_DEPTH];
typedef uint64_t dvm_data_id_t[2];
typedef uint64_t dvm_processing_id_t[2];
