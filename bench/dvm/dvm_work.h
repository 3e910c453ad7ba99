/* What the programs of libdvm share: failing calls, and where the workers are. */
#ifndef BENCH_DVM_WORK_H
#define BENCH_DVM_WORK_H

#include "work.h"

#include <dvm.h>

static inline void need(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS)
        bench_fail(dvm_strerror(code), dvm_last_error());
}

enum { MOST_RANKS = 4096 };
static dvm_rank_t ranks[MOST_RANKS];
static uint64_t rank_count;

/* Starts libdvm (DVM_WORKERS says with how many workers) and walks over the processing units. */
static inline void dvm_begin(const bench_t *bench)
{
    need(dvm_init());
    need(dvm_rank_count(&rank_count));
    bench_expect("workers", rank_count, (uint64_t)bench->workers);
    for (uint64_t i = 0; i < rank_count && i < MOST_RANKS; i++)
        need(dvm_rank_at(i, ranks[i], DVM_MAX_RANK_DEPTH));
}

/* VARIANT `near`: the library chooses the worker. */
static inline int by_rank(const bench_t *bench) { return strcmp(bench->variant, "near") != 0; }

/* VARIANT `modes`: placed by rank, with the calls that dvm.hpp makes. */
static inline int by_modes(const bench_t *bench) { return strcmp(bench->variant, "modes") == 0; }

static inline void *bytes(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    need(dvm_data_get(id, &memory, &size));
    return memory;
}

/* A datum of the library with one number in it. */
static inline void number_new(uint64_t value, dvm_data_id_t *id)
{
    need(dvm_data_allocate(sizeof value, id));
    *(uint64_t *)bytes(*id) = value;
    need(dvm_data_put(*id));
}

#endif
