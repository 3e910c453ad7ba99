// a: tasks that each read one of 1,024 data. VARIANT `rank`: in turn over the workers; `near`: near the data.
#include "work.h"

#include <dvm.hpp>

#include <vector>

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    const bool placed = std::strcmp(bench.variant, "near") != 0;
    const auto empty = [](dvm::span<const std::uint64_t>) { bench_ran(); };
    dvm::machine machine;
    const std::uint64_t workers = machine.workers();
    bench_expect("workers", workers, static_cast<std::uint64_t>(bench.workers));
    std::vector<dvm::place> places;
    for (std::uint64_t i = 0; i < workers; i++)
        places.emplace_back(dvm::onto{i});
    std::vector<dvm::datum<std::uint64_t>> data;
    for (std::uint64_t i = 0; i < BENCH_DATA; i++) {
        data.emplace_back(1);
        data[i].write([i](dvm::span<std::uint64_t> at) { at[0] = i; });
    }
    for (int pass = 0; pass < 2; pass++) {
        const std::size_t tasks = bench_size(&bench, pass);
        bench_start(&bench);
        for (std::size_t i = 0; i < tasks; i++) {
            const auto &datum = data[i % BENCH_DATA];
            placed ? dvm::submit(places[i % workers], empty, dvm::in(datum)) : dvm::submit(dvm::near, empty, dvm::in(datum));
        }
        machine.wait();
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench_report(&bench, bench.size);
}
