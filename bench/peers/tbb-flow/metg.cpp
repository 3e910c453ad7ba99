// METG, oneTBB's flow graph: a continue_node for each task, built once for all runs and not counted.
#include "tbb_work.hpp"

#include "metg.h"

#include <oneapi/tbb/flow_graph.h>

#include <deque>
#include <memory>

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct Built {
    explicit Built(int workers) : control(tbb::global_control::max_allowed_parallelism, workers), arena(workers) {}

    tbb::global_control control;
    tbb::task_arena arena;
    std::unique_ptr<tbb::flow::graph> graph;
    std::deque<Node> nodes;
    std::vector<Node *> first; // those that wait for nothing
};

static std::unique_ptr<Built> built;

static void metg_prepare(metg_t *graph)
{
    built = std::make_unique<Built>(graph->workers);
    built->arena.execute([graph] {
        built->graph = std::make_unique<tbb::flow::graph>();
        for (int step = 0; step < graph->steps; step++)
            for (int point = 0; point < METG_WIDTH; point++) {
                int inputs[METG_MAX_INPUTS];
                int count = metg_inputs(graph, step, point, inputs);
                built->nodes.emplace_back(*built->graph, [graph, step, point](const tbb::flow::continue_msg &message) {
                    metg_task(graph, step, point);
                    return message;
                });
                for (int k = 0; k < count; k++)
                    tbb::flow::make_edge(built->nodes[static_cast<std::size_t>((step - 1) * METG_WIDTH + inputs[k])],
                                         built->nodes.back());
                if (count == 0)
                    built->first.push_back(&built->nodes.back());
            }
    });
}

static void metg_run(metg_t *)
{
    built->arena.execute([] {
        for (Node *node : built->first)
            node->try_put(tbb::flow::continue_msg());
        built->graph->wait_for_all();
    });
}

static void metg_end(metg_t *)
{
    built->nodes.clear();
    built->graph.reset();
    built.reset();
}
