/* Tasks in a shared object, which different programs load. */
#include <dvm.h>

#include <string.h>

static int number_at(const uint64_t *id, uint64_t **at)
{
    void *memory = NULL;
    size_t size = 0;
    int good = dvm_data_get(id, &memory, &size) == DVM_SUCCESS && size == sizeof(uint64_t);
    *at = memory;
    return good;
}

/* The process that runs it. */
int shared_who(dvm_data_id_t out)
{
    uint64_t *to, index, count;
    if (!number_at(out, &to) || dvm_process(&index, &count) != DVM_SUCCESS)
        return 1;
    *to = index;
    return 0;
}

int shared_task(dvm_data_id_t in, dvm_data_id_t out)
{
    uint64_t *from, *to;
    if (!number_at(in, &from) || !number_at(out, &to))
        return 1;
    *to = *from + 100;
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

int (*shared_hidden_task(void))(void *, dvm_data_id_t *, int)
{
    return hidden_task;
}
