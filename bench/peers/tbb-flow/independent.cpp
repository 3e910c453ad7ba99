// a, oneTBB's flow graph: a message for each task, to a node without limit of concurrency.
#include "tbb_work.hpp"

#include <oneapi/tbb/flow_graph.h>

static std::uint64_t data[BENCH_DATA];

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    with_workers(bench.workers, [&] {
        tbb::flow::graph graph;
        tbb::flow::function_node<std::uint64_t *> node(graph, tbb::flow::unlimited, [](std::uint64_t *datum) {
            __asm__ volatile("" : : "r"(datum) : "memory");
            bench_ran();
            return tbb::flow::continue_msg();
        });
        for (int pass = 0; pass < 2; pass++) {
            std::size_t tasks = bench_size(&bench, pass);
            bench_start(&bench);
            for (std::size_t i = 0; i < tasks; i++) {
                node.try_put(&data[i % BENCH_DATA]);
                if (i == 0)
                    bench.inline_ = bench_here() > 0;
            }
            graph.wait_for_all();
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), tasks);
        }
    });
    return bench_report(&bench, bench.size);
}
