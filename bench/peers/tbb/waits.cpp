// wait-N, oneTBB: SIZE times N tasks, N being the VARIANT, in a task_group, and a wait.
#include "tbb_work.hpp"

#include <oneapi/tbb/task_group.h>

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    int count = std::atoi(bench.variant);
    if (count < 1)
        bench_fail("variant", bench.variant);
    with_workers(bench.workers, [&] {
        for (int pass = 0; pass < 2; pass++) {
            std::size_t times = bench_size(&bench, pass);
            tbb::task_group group;
            bench_start(&bench);
            for (std::size_t i = 0; i < times; i++) {
                for (int k = 0; k < count; k++) {
                    group.run([] { bench_ran(); });
                    if (i == 0 && k == 0)
                        bench.inline_ = bench_here() > 0;
                }
                group.wait();
            }
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), times * static_cast<std::uint64_t>(count));
        }
    });
    return bench_report(&bench, bench.size);
}
