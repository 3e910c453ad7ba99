// b, oneTBB: each task puts the next one into the task_group.
#include "tbb_work.hpp"

#include <oneapi/tbb/task_group.h>

static std::uint64_t datum;

static void link(tbb::task_group &group, std::size_t left)
{
    datum++;
    bench_ran();
    if (left > 1)
        group.run([&group, left] { link(group, left - 1); });
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    with_workers(bench.workers, [&] {
        for (int pass = 0; pass < 2; pass++) {
            std::size_t tasks = bench_size(&bench, pass);
            datum = 0;
            tbb::task_group group;
            bench_start(&bench);
            group.run([&group, tasks] { link(group, tasks); });
            group.wait();
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), tasks);
            bench_expect("the datum", datum, tasks);
        }
    });
    return bench_report(&bench, bench.size);
}
