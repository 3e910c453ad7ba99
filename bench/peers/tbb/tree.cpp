// c, oneTBB: tasks that put tasks into their task_group. VARIANT `datum`: each task owns memory that it is given.
#include "tbb_work.hpp"

#include <oneapi/tbb/task_group.h>

#include <memory>

static void node(tbb::task_group &group, std::size_t levels)
{
    bench_ran();
    if (levels > 0) {
        group.run([&group, levels] { node(group, levels - 1); });
        group.run([&group, levels] { node(group, levels - 1); });
    }
}

static void node_on(tbb::task_group &group, std::size_t *given)
{
    std::unique_ptr<std::size_t> datum(given);
    bench_ran();
    for (int half = 0; half < 2 && *datum > 0; half++)
        group.run([&group, below = new std::size_t(*datum - 1)] { node_on(group, below); });
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    bool with_data = strcmp(bench.variant, "datum") == 0;
    std::uint64_t tasks = 0;
    with_workers(bench.workers, [&] {
        for (int pass = 0; pass < 2; pass++) {
            std::size_t depth = bench_size(&bench, pass);
            tasks = (2ull << depth) - 1;
            tbb::task_group group;
            bench_start(&bench);
            if (with_data)
                node_on(group, new std::size_t(depth));
            else
                node(group, depth);
            group.wait();
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), tasks);
        }
    });
    return bench_report(&bench, tasks);
}
