/* A part of exports.c: calls of graphs and of what generated code calls. */
#ifndef EXPORTS_GRAPHS_H
#define EXPORTS_GRAPHS_H

/* Graphs. */
static atomic_int tiles;
static int tile(void *context, const int64_t *at)
{
    (void)context, (void)at;
    atomic_fetch_add(&tiles, 1);
    return 0;
}
static dvm_retcode_t do_dvm_graph_run(void)
{
    int64_t lower[] = {0, 0}, upper[] = {9, 9};
    int carried[] = {1, 1};
    dvm_graph_t g = {.size = sizeof g, .name = "tiles", .dimension = 2, .lower = lower, .upper = upper, .carried = carried, .run = tile};
    atomic_store(&tiles, 0);
    dvm_retcode_t code = ARMED(dvm_graph_run(&g));
    CHECK_NUMBER(GOOD(code) ? 100 : 0, atomic_load(&tiles));
    return code;
}
static int64_t footprint(void *context, const int64_t *sizes)
{
    (void)context;
    return sizes[0] * sizes[1] * 8;
}
static dvm_retcode_t do_dvm_graph_sizes(void)
{
    int64_t extent[] = {1000, 1000}, sizes[2] = {0, 0};
    int carried[] = {1, 1};
    return ARMED(dvm_graph_sizes("tiles", 2, extent, carried, footprint, NULL, sizes));
}

/* Regions of generated code. */
static dvm_retcode_t do_dvm_region_enter(void)
{
    static dvm_region_t region = {.size = sizeof region, .name = "region", .phase = -1};
    dvm_region_entry_t entry;
    return ARMED(dvm_region_enter(&region, 1000, &entry));
}
static dvm_retcode_t do_dvm_region_leave(void)
{
    dvm_region_t region = {.size = sizeof region, .name = "left", .phase = -1}; /* new: its first entry is timed */
    dvm_region_entry_t entry;
    CHECK_OK(dvm_region_enter(&region, 1000000, &entry));
    return ARMED(dvm_region_leave(&region, &entry));
}
static dvm_retcode_t do_dvm_region_run(void)
{
    int64_t lower[] = {0, 0}, upper[] = {9, 9};
    dvm_graph_t g = {.size = sizeof g, .name = "tiles", .dimension = 2, .lower = lower, .upper = upper, .run = tile};
    atomic_store(&tiles, 0);
    dvm_retcode_t code = ARMED(dvm_region_run(&g));
    CHECK_NUMBER(GOOD(code) ? 100 : 0, atomic_load(&tiles));
    return code;
}
static dvm_retcode_t do_dvm_region_sizes(void)
{
    static dvm_region_t region = {.size = sizeof region, .name = "sizes"};
    int64_t extent[] = {1000, 1000}, sizes[2] = {0, 0};
    int carried[] = {1, 1};
    return ARMED(dvm_region_sizes(&region, 2, extent, carried, footprint, NULL, sizes));
}
/* Regions on several processes: here is one, and no call of a region. */
static int body_of_region(void *context, void *call)
{
    (void)context, (void)call;
    return 0;
}
static dvm_retcode_t do_dvm_across_begins(void)
{
    int across;
    return ARMED(dvm_across_begins(&across));
}
static dvm_retcode_t do_dvm_across_run(void)
{
    dvm_across_t region = {.size = sizeof region, .name = "region", .body = body_of_region};
    int ran;
    return ARMED(dvm_across_run(&region, NULL, NULL, 0, 1, &ran));
}
static void places_of_region(void *context, void **bases)
{
    (void)context, (void)bases;
}
static dvm_retcode_t do_dvm_across_known(void)
{
    static const dvm_across_t region = {.size = sizeof region, .name = "region", .body = body_of_region, .places = places_of_region};
    return ARMED(dvm_across_known(&region));
}
static dvm_retcode_t do_dvm_across_serve(void)
{
    return ARMED(dvm_across_serve(NULL));
}
static dvm_retcode_t do_dvm_across_loop(void)
{
    return ARMED(dvm_across_loop(1) ? dvm_across_loop(0) : dvm_across_loop(0));
}
static dvm_retcode_t do_dvm_across_sizes(void)
{
    int64_t sizes[2] = {1, 1};
    return ARMED(dvm_across_sizes(NULL, 2, sizes));
}
static dvm_retcode_t do_dvm_across_graph(void)
{
    int64_t lower[2] = {0, 0}, upper[2] = {3, 3}, one[2] = {1, 1};
    dvm_graph_t g = {.size = sizeof g, .name = "graph", .dimension = 2, .lower = lower, .upper = upper, .run = tile};
    return ARMED(dvm_across_graph(NULL, &g, 0, 0, NULL, lower, one));
}
static dvm_retcode_t do_dvm_region_waits(void)
{
    int waits;
    return ARMED(dvm_region_waits(1000, &waits));
}

#endif
