/* Stands between a program and libdvm, and tells what the processes of a forecast would send each other, found by watching its
 * tiles run: each element that a tile reads and a tile of another process has written last counts once for each of its values and
 * each process that reads it.
 *
 * The program is compiled by -fsanitize=thread, which calls a function for each access, and linked without: these functions
 * stand here. Who would run a tile follows from TRACE_PLACE, `b` or a number (cyclic) for each coordinate that is dealt out,
 * and TRACE_GRID, the parts of each; both after commas. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 64 };

typedef struct {
    uint64_t tile; /* the one that wrote the element last, from 1 on; 0: none */
    uint64_t sent; /* the processes that have its value */
    unsigned owner;
} element_t;

static struct {
    char *begin, *end;
    size_t size;
    element_t *elements;
} arrays[MOST_ARRAYS];
static int arrays_count;

static const dvm_across_t *region;
static uint64_t tile, bytes, messages, *told, told_count;
static unsigned owner;

static void accessed(const void *address, size_t size, int writes)
{
    const char *const at = address;
    if (!tile)
        return;
    for (int k = 0; k < arrays_count; k++) {
        if (at < arrays[k].begin || at >= arrays[k].end)
            continue;
        const size_t first = (size_t)(at - arrays[k].begin) / arrays[k].size;
        const size_t last = (size_t)(at + size - 1 - arrays[k].begin) / arrays[k].size;
        for (size_t e = first; e <= last; e++) {
            element_t *const element = &arrays[k].elements[e];
            const uint64_t bit = (uint64_t)1 << owner;
            if (writes) {
                if (element->tile != tile)
                    *element = (element_t){tile, 0, owner};
            } else if (element->tile && element->owner != owner && !(element->sent & bit)) {
                element->sent |= bit;
                bytes += arrays[k].size;
                if (!(told[element->tile] & bit))
                    messages++;
                told[element->tile] |= bit;
            }
        }
        return;
    }
}

/* A graph as the region gives it, and what its context is here. */
typedef struct {
    dvm_graph_t graph;
    int phase;
} watched_t;

static unsigned owner_of(const watched_t *watched, const int64_t *at)
{
    const dvm_across_phase_t *const phase = &region->phases[watched->phase];
    const char *place = getenv("TRACE_PLACE"), *grid = getenv("TRACE_GRID");
    int order[DVM_GRAPH_MAX_DIMENSION], count = 0;
    unsigned process = 0, stride = 1;
    for (int k = 0; k < phase->places_count; k++)
        order[count++] = phase->places[k];
    for (int k = 0; k < watched->graph.dimension; k++) {
        int known = 0;
        for (int l = 0; l < phase->places_count; l++)
            known |= phase->places[l] == k;
        if (!known)
            order[count++] = k;
    }
    for (int k = 0; place && grid && k < count; k++) {
        const int64_t tiles = watched->graph.upper[order[k]] + 1, parts = atoll(grid);
        const int64_t index = at[order[k]];
        process += stride * (unsigned)(*place == 'b' ? index * parts / tiles : index / atoll(place) % parts);
        stride *= (unsigned)parts;
        place = strchr(place, ','), grid = strchr(grid, ',');
        place = place ? place + 1 : NULL, grid = grid ? grid + 1 : NULL;
    }
    return process;
}

static int run(void *context, const int64_t *at)
{
    const watched_t *const watched = context;
    static uint64_t before;
    owner = owner_of(watched, at);
    tile = ++before;
    if (tile >= told_count) {
        const uint64_t count = 2 * tile + 1000;
        told = realloc(told, count * sizeof *told);
        memset(told + told_count, 0, (count - told_count) * sizeof *told);
        told_count = count;
    }
    const int code = watched->graph.run(watched->graph.context, at);
    tile = 0;
    return code;
}

static void bounds(void *context, int64_t coordinate, const int64_t *at, int64_t *ends)
{
    const watched_t *const watched = context;
    watched->graph.bounds(watched->graph.context, coordinate, at, ends);
}

static int exists(void *context, const int64_t *at)
{
    const watched_t *const watched = context;
    return watched->graph.exists(watched->graph.context, at);
}

dvm_retcode_t dvm_across_graph(void *call, const dvm_graph_t *graph, int phase, int hosts_count, const int64_t *hosts,
                               const int64_t *first, const int64_t *step)
{
    static dvm_retcode_t (*next)(void *, const dvm_graph_t *, int, int, const int64_t *, const int64_t *, const int64_t *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "dvm_across_graph");
    if (!getenv("TRACE_PLACE"))
        return next(call, graph, phase, hosts_count, hosts, first, step);
    watched_t watched = {*graph, phase};
    dvm_graph_t own = *graph;
    own.context = &watched;
    own.run = run;
    own.bounds = graph->bounds ? bounds : NULL;
    own.exists = graph->exists ? exists : NULL;
    return next(call, &own, phase, hosts_count, hosts, first, step);
}

dvm_retcode_t dvm_across_run(const dvm_across_t *runs, void *context, const dvm_across_array_t *given, uint64_t digest,
                             int willing, int *ran)
{
    static dvm_retcode_t (*next)(const dvm_across_t *, void *, const dvm_across_array_t *, uint64_t, int, int *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "dvm_across_run");
    region = runs;
    bytes = messages = 0;
    if (runs->arrays_count > MOST_ARRAYS)
        abort();
    arrays_count = runs->arrays_count;
    for (int k = 0; k < arrays_count; k++) {
        char *const base = given[k].base;
        const int64_t length = given[k].end > given[k].begin ? given[k].end - given[k].begin : 0;
        arrays[k].size = given[k].element;
        arrays[k].begin = base + given[k].begin;
        arrays[k].end = arrays[k].begin + length;
        arrays[k].elements = calloc((size_t)length / given[k].element + 2, sizeof(element_t));
    }
    const dvm_retcode_t code = next(runs, context, given, digest, willing, ran);
    if (getenv("TRACE_PLACE"))
        fprintf(stderr, "traced '%s': %llu bytes in %llu messages\n", runs->name, (unsigned long long)bytes,
                (unsigned long long)messages);
    for (int k = 0; k < arrays_count; k++)
        free(arrays[k].elements);
    arrays_count = 0;
    return code;
}

#define ACCESS(bytes) \
    void __tsan_read##bytes(const void *at); \
    void __tsan_write##bytes(const void *at); \
    void __tsan_unaligned_read##bytes(const void *at); \
    void __tsan_unaligned_write##bytes(const void *at); \
    void __tsan_read##bytes(const void *at) { accessed(at, bytes, 0); } \
    void __tsan_write##bytes(const void *at) { accessed(at, bytes, 1); } \
    void __tsan_unaligned_read##bytes(const void *at) { accessed(at, bytes, 0); } \
    void __tsan_unaligned_write##bytes(const void *at) { accessed(at, bytes, 1); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(const void *at, size_t size);
void __tsan_write_range(const void *at, size_t size);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(const void *at, size_t size)
{
    accessed(at, size, 0);
}

void __tsan_write_range(const void *at, size_t size)
{
    accessed(at, size, 1);
}

#define ATOMIC(bits) \
    int##bits##_t __tsan_atomic##bits##_load(const int##bits##_t *at, int order); \
    void __tsan_atomic##bits##_store(int##bits##_t *at, int##bits##_t value, int order); \
    int##bits##_t __tsan_atomic##bits##_load(const int##bits##_t *at, int order) \
    { \
        (void)order; \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST); \
    } \
    void __tsan_atomic##bits##_store(int##bits##_t *at, int##bits##_t value, int order) \
    { \
        (void)order; \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST); \
    }
ATOMIC(32)
ATOMIC(64)
