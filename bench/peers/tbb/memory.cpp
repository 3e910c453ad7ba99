// Memory, oneTBB: SIZE tasks in a task_group, none of which is run before the last one is there: the thread that makes them is the
// only one of the arena until then.
#include "tbb_work.hpp"

#include <oneapi/tbb/task_group.h>

static std::uint64_t data[BENCH_DATA];

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    with_workers(1, [&] {
        tbb::task_group group;
        bench_start(&bench);
        for (std::size_t i = 0; i < bench.size; i++) {
            std::uint64_t *datum = &data[i % BENCH_DATA];
            group.run([datum] {
                __asm__ volatile("" : : "r"(datum) : "memory");
                bench_ran();
            });
        }
        bench_expect("tasks that ran too early", bench_total(), 0);
        group.wait();
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), bench.size);
    });
    return bench_report(&bench, bench.size);
}
