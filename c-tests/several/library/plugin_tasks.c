/* Tasks of a shared object that process 0 alone loads. With -DNEEDS the object needs another one. */
#include <dvm.h>

#include <string.h>

#ifndef ADDS
#define ADDS 100
#endif

#ifdef NEEDS
int plugin_dependency(void);
#else
static int plugin_dependency(void)
{
    return 0;
}
#endif

#ifdef PADDING
/* Makes the object take long. */
const char plugin_padding[PADDING] = {1};
#endif

/* How often the object was loaded in this process: its own constructor counts, and calls libdvm. */
static uint64_t loads;
static uint64_t calls;

__attribute__((constructor)) static void loaded(void)
{
    uint64_t index, count;
    loads += dvm_process(&index, &count) == DVM_SUCCESS || dvm_strerror(DVM_SUCCESS) != NULL;
}

static int number_at(const uint64_t *id, uint64_t **at)
{
    void *memory = NULL;
    size_t size = 0;
    int good = dvm_data_get(id, &memory, &size) == DVM_SUCCESS && size == sizeof(uint64_t);
    *at = memory;
    return good;
}

int plugin_task(dvm_data_id_t in, dvm_data_id_t out);

int plugin_task(dvm_data_id_t in, dvm_data_id_t out)
{
    uint64_t *from, *to;
    if (!number_at(in, &from) || !number_at(out, &to) || loads != 1)
        return 1;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    *to = *from + ADDS + (uint64_t)plugin_dependency();
    return 0;
}

static int hidden_task(void *context, dvm_data_id_t *ids, int count)
{
    uint64_t *from, *to;
    if (count != 2 || !number_at(ids[0], &from) || !number_at(ids[1], &to))
        return 1;
    *to = *from + (uint64_t)(uintptr_t)context;
    return 0;
}

int (*plugin_hidden_task(void))(void *, dvm_data_id_t *, int);

int (*plugin_hidden_task(void))(void *, dvm_data_id_t *, int)
{
    return hidden_task;
}

/* {processing} {rank} {datum in} {datum out}: schedules the processing there, which this process may only know from another
 * one. */
static int onward_task(void *context, dvm_data_id_t *ids, int count)
{
    void *at = NULL;
    size_t size = 0;
    (void)context, (void)count;
    if (dvm_data_get(ids[0], &at, &size) != DVM_SUCCESS || size != 7 * 8)
        return 1;
    uint64_t words[7];
    dvm_data_id_t arguments[2];
    dvm_rank_t rank;
    memcpy(words, at, sizeof words);
    memcpy(arguments, &words[3], sizeof arguments);
    if (dvm_rank_at(words[2], rank, DVM_MAX_RANK_DEPTH) != DVM_SUCCESS)
        return 2;
    return dvm_sched_onto_v(rank, words, arguments, 2) != DVM_SUCCESS;
}

int (*plugin_onward_task(void))(void *, dvm_data_id_t *, int);

int (*plugin_onward_task(void))(void *, dvm_data_id_t *, int)
{
    return onward_task;
}
