/* e: the stencil as a parameterised graph, in two rows of values that take turns. */
#include "dvm_work.h"

static uint64_t rows[2][BENCH_WIDTH];
static size_t steps;

static int run(void *context, const int64_t *tile)
{
    size_t t = (size_t)tile[0], i = (size_t)tile[1];
    const uint64_t *from = rows[t % 2];
    (void)context;
    rows[(t + 1) % 2][i] = stencil_point(from[stencil_left(i)], from[i], from[stencil_right(i)]);
    bench_ran();
    return 0;
}

static int64_t predecessors(void *context, const int64_t *tile)
{
    (void)context;
    return tile[0] == 0 ? 0 : 3;
}

static void successors(void *context, const int64_t *tile, dvm_graph_visit_t visit, void *visitor)
{
    (void)context;
    if ((size_t)tile[0] + 1 == steps)
        return;
    visit(visitor, (int64_t[]){tile[0] + 1, (int64_t)stencil_left((size_t)tile[1])});
    visit(visitor, (int64_t[]){tile[0] + 1, tile[1]});
    visit(visitor, (int64_t[]){tile[0] + 1, (int64_t)stencil_right((size_t)tile[1])});
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_begin(&bench);
    for (int pass = 0; pass < 2; pass++) {
        steps = bench_size(&bench, pass);
        const int64_t lower[] = {0, 0}, upper[] = {(int64_t)steps - 1, BENCH_WIDTH - 1};
        const dvm_graph_t graph = {.size = sizeof graph, .name = "stencil", .dimension = 2, .lower = lower, .upper = upper,
                                   .run = run, .predecessors = predecessors, .successors = successors};
        stencil_begin(rows[0]);
        bench_start(&bench);
        need(dvm_graph_run(&graph));
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
        stencil_check(rows[steps % 2], steps);
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
