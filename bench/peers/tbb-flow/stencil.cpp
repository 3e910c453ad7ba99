// d and e, oneTBB's flow graph: a continue_node for each task and an edge for each input, in two rows of values that take turns.
// VARIANT `built`: the time to build the graph is not counted.
#include "tbb_work.hpp"

#include <oneapi/tbb/flow_graph.h>

#include <deque>

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

static std::uint64_t rows[2][BENCH_WIDTH];

static void task(std::size_t t, std::size_t i)
{
    const std::uint64_t *from = rows[t % 2];
    rows[(t + 1) % 2][i] = stencil_point(from[stencil_left(i)], from[i], from[stencil_right(i)]);
    bench_ran();
}

static void build(tbb::flow::graph &graph, std::deque<Node> &nodes, std::size_t steps)
{
    for (std::size_t t = 0; t < steps; t++)
        for (std::size_t i = 0; i < BENCH_WIDTH; i++) {
            nodes.emplace_back(graph, [t, i](const tbb::flow::continue_msg &message) {
                task(t, i);
                return message;
            });
            if (t > 0)
                for (std::size_t from : {stencil_left(i), i, stencil_right(i)})
                    tbb::flow::make_edge(nodes[(t - 1) * BENCH_WIDTH + from], nodes.back());
        }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    bool built = strcmp(bench.variant, "built") == 0;
    with_workers(bench.workers, [&] {
        for (int pass = 0; pass < 2; pass++) {
            std::size_t steps = bench_size(&bench, pass);
            stencil_begin(rows[0]);
            tbb::flow::graph graph;
            std::deque<Node> nodes;
            if (built)
                build(graph, nodes, steps);
            bench_start(&bench);
            if (!built)
                build(graph, nodes, steps);
            for (std::size_t i = 0; i < BENCH_WIDTH; i++)
                nodes[i].try_put(tbb::flow::continue_msg());
            graph.wait_for_all();
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
            stencil_check(rows[steps % 2], steps);
        }
    });
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
