/* METG of the parameterised graph. */
#include "dvm_work.h"

#include "metg.h"

static int run(void *context, const int64_t *tile)
{
    metg_task(context, (int)tile[0], (int)tile[1]);
    return 0;
}

static int64_t predecessors(void *context, const int64_t *tile)
{
    int inputs[METG_MAX_INPUTS];
    return metg_inputs(context, (int)tile[0], (int)tile[1], inputs);
}

static void successors(void *context, const int64_t *tile, dvm_graph_visit_t visit, void *visitor)
{
    int outputs[METG_MAX_INPUTS];
    int count = metg_outputs(context, (int)tile[0], (int)tile[1], outputs);
    for (int k = 0; k < count; k++)
        visit(visitor, (int64_t[]){tile[0] + 1, outputs[k]});
}

static void metg_prepare(metg_t *graph)
{
    bench_t bench = {.workers = graph->workers};
    dvm_begin(&bench);
}

static void metg_run(metg_t *graph)
{
    const int64_t lower[] = {0, 0}, upper[] = {graph->steps - 1, METG_WIDTH - 1};
    const dvm_graph_t described = {.size = sizeof described, .name = "metg", .dimension = 2, .lower = lower, .upper = upper, .run = run,
                                   .predecessors = predecessors, .successors = successors, .context = graph};
    need(dvm_graph_run(&described));
}

static void metg_end(metg_t *graph)
{
    (void)graph;
    need(dvm_finalize());
}
