/* Parameterised task graphs, which run the tiles of generated code. */
#include "check.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>

/* A box of tiles that records which have run, and checks that a tile's predecessors have. */
typedef struct {
    int dimension;
    int64_t lower[DVM_GRAPH_MAX_DIMENSION], upper[DVM_GRAPH_MAX_DIMENSION];
    int carried[DVM_GRAPH_MAX_DIMENSION];
    size_t tiles;
    atomic_uchar *runs;      /* per tile: how often it has run */
    atomic_size_t ran, early; /* tiles that ran; tiles that ran before one they wait for */
    bool triangle;           /* only tiles whose second coordinate is at most the first */
    size_t failing;          /* the tile that fails; tiles: none */
} box_t;

static size_t place(const box_t *box, const int64_t *tile)
{
    size_t at = 0;
    for (int k = 0; k < box->dimension; k++)
        at = at * (size_t)(box->upper[k] - box->lower[k] + 1) + (size_t)(tile[k] - box->lower[k]);
    return at;
}

static bool is_tile(const box_t *box, const int64_t *tile)
{
    for (int k = 0; k < box->dimension; k++)
        if (tile[k] < box->lower[k] || tile[k] > box->upper[k])
            return false;
    return !box->triangle || tile[1] <= tile[0];
}

static int run(void *context, const int64_t *tile)
{
    box_t *box = context;
    int64_t before[DVM_GRAPH_MAX_DIMENSION + 1] = {0};

    CHECK(is_tile(box, tile));
    memcpy(before, tile, (size_t)box->dimension * sizeof *tile);
    for (int k = 0; k < box->dimension; k++) {
        before[k]--;
        if (box->carried[k] && is_tile(box, before) && atomic_load(&box->runs[place(box, before)]) != 1)
            atomic_fetch_add(&box->early, 1);
        before[k]++;
    }
    atomic_fetch_add(&box->runs[place(box, tile)], 1);
    atomic_fetch_add(&box->ran, 1);
    return place(box, tile) == box->failing ? 17 : 0;
}

/* The edges of the box, given tile by tile. */
static int64_t predecessors(void *context, const int64_t *tile)
{
    box_t *box = context;
    int64_t before[DVM_GRAPH_MAX_DIMENSION + 1] = {0}, count = 0;
    if (!is_tile(box, tile))
        return -1;
    memcpy(before, tile, (size_t)box->dimension * sizeof *tile);
    for (int k = 0; k < box->dimension; k++) {
        before[k]--;
        count += box->carried[k] && is_tile(box, before);
        before[k]++;
    }
    return count;
}

static void successors(void *context, const int64_t *tile, dvm_graph_visit_t visit, void *visitor)
{
    box_t *box = context;
    int64_t after[DVM_GRAPH_MAX_DIMENSION + 1] = {0};
    memcpy(after, tile, (size_t)box->dimension * sizeof *tile);
    for (int k = 0; k < box->dimension; k++) {
        after[k]++;
        if (box->carried[k] && is_tile(box, after))
            visit(visitor, after);
        after[k]--;
    }
}

static dvm_graph_t graph_of(box_t *box, bool told)
{
    dvm_graph_t graph = {0};
    box->tiles = 1;
    for (int k = 0; k < box->dimension; k++)
        box->tiles *= box->upper[k] < box->lower[k] ? 0 : (size_t)(box->upper[k] - box->lower[k] + 1);
    box->runs = calloc(box->tiles + 1, sizeof *box->runs);
    box->failing = box->tiles;
    atomic_store(&box->ran, 0);
    atomic_store(&box->early, 0);
    graph.size = sizeof graph;
    graph.name = "box";
    graph.dimension = box->dimension;
    graph.lower = box->lower;
    graph.upper = box->upper;
    graph.carried = box->carried;
    graph.run = run;
    graph.predecessors = told ? predecessors : NULL;
    graph.successors = told ? successors : NULL;
    graph.context = box;
    return graph;
}

static void all_ran_once(const box_t *box)
{
    size_t expected = 0, wrong = 0;
    for (size_t at = 0; at < box->tiles; at++) {
        unsigned runs = atomic_load(&box->runs[at]);
        bool inside = !box->triangle || (int64_t)at % (box->upper[1] - box->lower[1] + 1) + box->lower[1] <=
                                            (int64_t)at / (box->upper[1] - box->lower[1] + 1) + box->lower[0];
        expected += inside;
        wrong += runs != (inside ? 1u : 0u);
    }
    CHECK_NUMBER(0, wrong);
    CHECK_NUMBER(expected, atomic_load(&box->ran));
    CHECK_NUMBER(0, atomic_load(&box->early));
}

static void run_box(box_t box, bool told)
{
    dvm_graph_t graph = graph_of(&box, told);
    CHECK_OK(dvm_graph_run(&graph));
    all_ran_once(&box);
    free(box.runs);
}

static void shapes(void)
{
    for (int told = 0; told < 2; told++) {
        run_box((box_t){.dimension = 0}, told);
        run_box((box_t){.dimension = 1, .lower = {-5}, .upper = {100}, .carried = {1}}, told);
        run_box((box_t){.dimension = 1, .lower = {-5}, .upper = {100}}, told);
        run_box((box_t){.dimension = 2, .lower = {-3, 7}, .upper = {40, 50}, .carried = {1, 1}}, told);
        run_box((box_t){.dimension = 2, .lower = {0, 0}, .upper = {40, 50}, .carried = {0, 1}}, told);
        run_box((box_t){.dimension = 3, .upper = {9, 10, 11}, .carried = {1, 0, 1}}, told);
        run_box((box_t){.dimension = 3, .upper = {9, 10, 11}, .carried = {1, 1, 1}}, told);
        run_box((box_t){.dimension = 2, .lower = {3, 0}, .upper = {2, 10}, .carried = {1, 1}}, told);
        run_box((box_t){.dimension = DVM_GRAPH_MAX_DIMENSION, .upper = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, .carried = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, told);
    }
    run_box((box_t){.dimension = 2, .upper = {60, 60}, .carried = {1, 1}, .triangle = true}, true);
}

/* A failing tile ends the graph with an error; nothing hangs, and no tile runs unless its predecessors have. */
static void failing_tile(void)
{
    box_t box = {.dimension = 2, .upper = {30, 30}, .carried = {1, 1}};
    dvm_graph_t graph = graph_of(&box, false);
    box.failing = 5 * 31 + 7;
    CHECK_CODE(DVM_ERR_TASK, dvm_graph_run(&graph));
    CHECK_MENTIONS("box");
    CHECK_MENTIONS("17");
    CHECK_NUMBER(0, atomic_load(&box.early));
    CHECK(atomic_load(&box.ran) < box.tiles);
    free(box.runs);
}

static void wrong_arguments(void)
{
    box_t box = {.dimension = 2, .upper = {3, 3}, .carried = {1, 1}};
    dvm_graph_t good = graph_of(&box, true), bad;
    int64_t extent[] = {100, 100}, sizes[] = {0, 0};

    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(NULL));
    bad = good, bad.run = NULL;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.dimension = -1;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.dimension = DVM_GRAPH_MAX_DIMENSION + 1;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.lower = NULL;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.upper = NULL;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.size = 0;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.successors = NULL;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    bad = good, bad.predecessors = NULL;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_run(&bad));
    CHECK_NUMBER(0, atomic_load(&box.ran));

    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_sizes("x", -1, extent, NULL, NULL, NULL, sizes));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_sizes("x", DVM_GRAPH_MAX_DIMENSION + 1, extent, NULL, NULL, NULL, sizes));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_sizes("x", 2, NULL, NULL, NULL, NULL, sizes));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_graph_sizes("x", 2, extent, NULL, NULL, NULL, NULL));
    free(box.runs);
}

/* Any thread, several at a time. */
static void *run_in_thread(void *unused)
{
    for (int i = 0; i < 20; i++)
        run_box((box_t){.dimension = 2, .upper = {20, 20}, .carried = {1, 1}}, i % 2);
    return unused;
}

static void threads(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&thread[i], NULL, run_in_thread, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

/* Not allowed in a task, which would wait on a worker. */
static int graph_in_task(void)
{
    box_t box = {.dimension = 1, .upper = {3}};
    dvm_graph_t graph = graph_of(&box, false);
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_graph_run(&graph));
    CHECK_NUMBER(0, atomic_load(&box.ran));
    free(box.runs);
    return 0;
}

static void in_tasks(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())graph_in_task, 0, NULL, p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_processing_unregister(&p));
}

/* The graph is never stored as a whole: memory depends on the tiles in flight, not on their number. */
static int run_nothing(void *context, const int64_t *tile)
{
    (void)tile;
    atomic_fetch_add_explicit((atomic_size_t *)context, 1, memory_order_relaxed);
    return 0;
}

static void many_tiles(void)
{
    struct rusage before, after;
    atomic_size_t ran = 0;
    int64_t lower[] = {0, 0}, upper[] = {1999, 499};
    int carried[] = {1, 1};
    dvm_graph_t graph = {.size = sizeof graph, .dimension = 2, .lower = lower, .upper = upper, .carried = carried,
                         .run = run_nothing, .context = &ran};
    getrusage(RUSAGE_SELF, &before);
    CHECK_OK(dvm_graph_run(&graph));
    getrusage(RUSAGE_SELF, &after);
    CHECK_NUMBER(1000000, atomic_load(&ran));
    /* A million tiles in less than 8 bytes each; a checker that shadows all memory counts its own. */
    if (!getenv("DVM_TEST_SHADOWED"))
        CHECK(after.ru_maxrss - before.ru_maxrss < 8000);
}

/* ----- tile sizes ----- */

static int64_t bytes_of(void *context, const int64_t *sizes)
{
    int64_t bytes = 8;
    for (int k = 0; k < *(int *)context; k++)
        bytes *= sizes[k];
    return bytes;
}

static void sizes(void)
{
    int dimension = 3, carried[] = {1, 1, 0};
    int64_t extent[] = {1000, 1000, 1000}, chosen[] = {0, 16, 0};

    CHECK_OK(dvm_graph_sizes("sizes", 3, extent, carried, bytes_of, &dimension, chosen));
    CHECK_NUMBER(16, chosen[1]); /* fixed by the caller */
    CHECK(chosen[0] >= 1 && chosen[0] <= 1000 && chosen[2] >= 1 && chosen[2] <= 1000);
    CHECK(bytes_of(&dimension, chosen) <= 64 << 20); /* some cache */

    int64_t again[] = {0, 16, 0};
    CHECK_OK(dvm_graph_sizes(NULL, 3, extent, carried, bytes_of, &dimension, again));
    CHECK(memcmp(again, chosen, sizeof again) == 0);
    CHECK_OK(dvm_graph_sizes("none", 0, NULL, NULL, NULL, NULL, NULL));
}

int main(void)
{
    box_t box = {.dimension = 1, .upper = {3}};
    dvm_graph_t graph = graph_of(&box, false);
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_graph_run(&graph));

    /* Started for generated code; then the program calls init, and must call finalize. */
    int alone = check_processes() == 1; /* generated code starts no job */
    if (alone) {
        CHECK_OK(dvm_graph_start());
        CHECK_OK(dvm_graph_start());
        CHECK_OK(dvm_graph_run(&graph));
    }
    CHECK_OK(dvm_init());
    CHECK_CODE(DVM_ERR_ALREADY_INITIALIZED, dvm_init());
    CHECK_OK(dvm_graph_start());
    free(box.runs);

    shapes();
    failing_tile();
    wrong_arguments();
    threads();
    in_tasks();
    sizes();
    many_tiles();
    CHECK_OK(dvm_finalize());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_graph_run(&graph));

    /* Started and never finalized: it ends by itself at exit. */
    if (alone) {
        CHECK_OK(dvm_graph_start());
        run_box((box_t){.dimension = 1, .upper = {3}}, false);
    }
    return check_end("graph");
}
