// b: tasks that count one datum up, each time in place. VARIANT `rank`: on the first worker; `near`: near the datum.
#include "work.h"

#include <dvm.hpp>

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    const bool placed = std::strcmp(bench.variant, "near") != 0;
    const auto count_up = [](dvm::span<std::uint64_t> number) {
        number[0]++;
        bench_ran();
    };
    dvm::machine machine;
    const dvm::place first(dvm::onto{0});
    bench_expect("workers", machine.workers(), static_cast<std::uint64_t>(bench.workers));
    for (int pass = 0; pass < 2; pass++) {
        const std::size_t tasks = bench_size(&bench, pass);
        dvm::datum<std::uint64_t> number(1);
        number.write([](dvm::span<std::uint64_t> at) { at[0] = 0; });
        bench_start(&bench);
        for (std::size_t i = 0; i < tasks; i++)
            placed ? dvm::submit(first, count_up, dvm::inout(number)) : dvm::submit(dvm::near, count_up, dvm::inout(number));
        machine.wait();
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
        bench_expect("the datum", number.get()[0], tasks);
    }
    return bench_report(&bench, bench.size);
}
