// a, oneTBB: one thread puts tasks into a task_group. It knows no data.
#include "tbb_work.hpp"

#include <oneapi/tbb/task_group.h>

static std::uint64_t data[BENCH_DATA];

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    with_workers(bench.workers, [&] {
        for (int pass = 0; pass < 2; pass++) {
            std::size_t tasks = bench_size(&bench, pass);
            tbb::task_group group;
            bench_start(&bench);
            for (std::size_t i = 0; i < tasks; i++) {
                std::uint64_t *datum = &data[i % BENCH_DATA];
                group.run([datum] {
                    __asm__ volatile("" : : "r"(datum) : "memory");
                    bench_ran();
                });
                if (i == 0)
                    bench.inline_ = bench_here() > 0;
            }
            group.wait();
            bench_stop(&bench);
            bench_expect("tasks", bench_total(), tasks);
        }
    });
    return bench_report(&bench, bench.size);
}
