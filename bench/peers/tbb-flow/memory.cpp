// Memory, oneTBB's flow graph: SIZE nodes behind 1,024 others, none of which is run before the last one is there.
#include "tbb_work.hpp"

#include <oneapi/tbb/flow_graph.h>

#include <deque>

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    with_workers(bench.workers, [&] {
        tbb::flow::graph graph;
        std::deque<Node> producers, nodes;
        bench_start(&bench);
        for (std::size_t i = 0; i < BENCH_DATA; i++)
            producers.emplace_back(graph, [](const tbb::flow::continue_msg &message) { return message; });
        for (std::size_t i = 0; i < bench.size; i++) {
            nodes.emplace_back(graph, [](const tbb::flow::continue_msg &message) {
                bench_ran();
                return message;
            });
            tbb::flow::make_edge(producers[i % BENCH_DATA], nodes.back());
        }
        bench_expect("tasks that ran too early", bench_total(), 0);
        for (Node &producer : producers)
            producer.try_put(tbb::flow::continue_msg());
        graph.wait_for_all();
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), bench.size);
    });
    return bench_report(&bench, bench.size);
}
