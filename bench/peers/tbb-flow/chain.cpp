// b, oneTBB's flow graph: messages to a node that treats one at a time, and so owns the datum.
#include "tbb_work.hpp"

#include <oneapi/tbb/flow_graph.h>

static std::uint64_t datum;

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    with_workers(bench.workers, [&] {
        tbb::flow::graph graph;
        tbb::flow::function_node<std::uint64_t *> node(graph, tbb::flow::serial, [](std::uint64_t *value) {
            ++*value;
            bench_ran();
            return tbb::flow::continue_msg();
        });
        for (int pass = 0; pass < 2; pass++) {
            std::size_t tasks = bench_size(&bench, pass);
            datum = 0;
            bench_start(&bench);
            for (std::size_t i = 0; i < tasks; i++) {
                node.try_put(&datum);
                if (i == 0)
                    bench.inline_ = bench_here() > 0;
            }
            graph.wait_for_all();
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), tasks);
            bench_expect("the datum", datum, tasks);
        }
    });
    return bench_report(&bench, bench.size);
}
