// Tests the AArch64 assembly of the variadic entry of dvm_sched_onto: the arguments that the called function gets, and the
// registers that the entry preserves. The called function is defined here; the entry is libdvm's.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

struct id_t_ {
    uint64_t id[2];
};
extern "C" int dvm_sched_onto(const int *rank, const id_t_ *function, ...);

static int failures, done;
static void check(bool holds, const char *what, int count)
{
    done++;
    if (!holds) {
        failures++;
        std::printf("FAILED aarch64: %s, %d arguments\n", what, count);
    }
}

enum { MOST = 24, IN_REGISTERS = 6 };
static const int rank_given[4] = {1, 2, 3, 4};
static id_t_ function_given, data[MOST];
static int expected, throws;

// src/ffi/scheduling.rs has this function in Rust.
extern "C" int dvm_test_behind(const int *rank, const id_t_ *function, id_t_ *const *registers, id_t_ *const *stack)
{
    check(rank == rank_given && function == &function_given, "rank and function arrive", expected);
    bool same = true;
    for (int i = 0; i < expected; i++)
        same = same && (i < IN_REGISTERS ? registers[i] : stack[i - IN_REGISTERS]) == &data[i];
    check(same, "the ids arrive in order", expected);
    check(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) % 16 == 0, "the stack is aligned", expected);
    if (throws)
        throw std::runtime_error("through the entry");
    return 1000 + expected;
}

template <typename... Ids> static void call(Ids... ids)
{
    expected = static_cast<int>(sizeof...(ids));
    double before = expected + 0.5;
    __asm__ volatile("" : "+w"(before));
    check(dvm_sched_onto(rank_given, &function_given, ids...) == 1000 + expected, "the result comes back", expected);
    check(before == expected + 0.5, "what the caller keeps in registers stays", expected);
    throws = 1;
    bool caught = false;
    try {
        dvm_sched_onto(rank_given, &function_given, ids...);
    } catch (const std::runtime_error &) {
        caught = true;
    }
    throws = 0;
    check(caught, "the frame can be unwound", expected);
    if constexpr (sizeof...(ids) < MOST)
        call(ids..., &data[sizeof...(ids)]);
}

int main()
{
    call();
    std::printf("%d passed, %d failed\n", done - failures, failures);
    return failures != 0;
}
