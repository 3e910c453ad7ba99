/* dvm.hpp: tasks from lambdas, references, errors; the same results as in C. */
#include <dvm.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1); \
        } \
    } while (0)

using dvm::in, dvm::inout, dvm::out, dvm::span;

/* A call that the compiler must refuse, and one that it must accept. */
template <class F, class... A> using calls = std::is_invocable<F, typename A::seen...>;
static_assert(calls<void (*)(span<const int>, span<int>), dvm::in_argument<int>, dvm::out_argument<int>>::value);
static_assert(!calls<void (*)(span<int>), dvm::in_argument<int>>::value, "what is read cannot be written");
static_assert(!calls<void (*)(span<const int>), dvm::in_argument<int>, dvm::in_argument<int>>::value, "one is missing");
static_assert(!calls<void (*)(span<const float>), dvm::in_argument<int>>::value, "another type");

static int free_function(span<const long> from, span<long> to)
{
    for (std::size_t i = 0; i < from.size(); i++)
        to[i] = from[i] * from[i];
    return 0;
}

static void chains()
{
    dvm::datum<long> x(100), squares(100);
    long first = 3;
    dvm::submit(dvm::near, [first](span<long> all) {
        long next = first;
        for (long &one : all)
            one = next++;
    }, out(x));
    for (int round = 0; round < 50; round++)
        dvm::submit(dvm::near, [](span<long> all) {
            for (long &one : all)
                one += 2;
        }, inout(x));
    dvm::submit(dvm::onto{0}, dvm::fn<free_function>, in(x), out(squares));
    auto read = squares.get();
    EXPECT(read.size() == 100);
    for (long i = 0; i < 100; i++)
        EXPECT(read[i] == (103 + i) * (103 + i));
    /* The old elements are still there for whoever holds them. */
    dvm::datum<long> before = x;
    dvm::submit(dvm::near, [](span<long> all) { all[0] = -1; }, inout(x));
    EXPECT(before.get()[0] == 103 && x.get()[0] == -1 && x.get()[99] == 202);
}

/* Each worker by its place: the task runs there. */
static void places(const dvm::machine &machine)
{
    for (std::uint64_t worker = 0; worker < machine.workers(); worker++) {
        const dvm::place where(dvm::onto{worker});
        dvm::datum<std::uint64_t> rank(DVM_MAX_RANK_DEPTH);
        dvm::submit(where, [](span<std::uint64_t> mine) {
            dvm_rank_t here = {};
            dvm::check(dvm_rank_get(here, DVM_MAX_RANK_DEPTH));
            std::memcpy(mine.data(), here, sizeof here);
        }, out(rank));
        EXPECT(std::memcmp(rank.get().data(), where.rank(), sizeof where.rank()) == 0);
    }
    bool thrown = false;
    try {
        dvm::place nowhere(dvm::onto{1u << 30});
    } catch (const dvm::error &e) {
        thrown = e.code() == dvm::error_code(DVM_ERR_RANK);
    }
    EXPECT(thrown);
}

static void references()
{
    dvm::datum<int> a(1);
    a.write([](span<int> one) { one[0] = 7; });
    const dvm_data_id_t id = {a.id()[0], a.id()[1]};
    {
        dvm::datum<int> b = a, c = std::move(a);
        EXPECT(!a && b && c);
        a = b;
        EXPECT(a.get()[0] == 7);
    }
    dvm::datum<int> sum(1);
    for (int k = 0; k < 3; k++)
        dvm::submit(dvm::near, [](span<const int> x, span<const int> y, span<int> s) { s[0] = x[0] + y[0]; }, in(a), in(a), out(sum));
    EXPECT(sum.get()[0] == 14);
    EXPECT(dvm_wait() == DVM_SUCCESS);
    a = dvm::datum<int>(1);
    /* Nobody holds a reference any more. */
    dvm_data_id_t gone = {id[0], id[1]};
    EXPECT(dvm_data_acquire(gone) == DVM_ERR_ID);
}

static void errors(dvm::machine &machine)
{
    dvm::datum<int> a(4), b(4);
    a.write([](span<int>) {});
    const dvm_data_id_t before = {b.id()[0], b.id()[1]};
    auto fill = [](span<const int>, span<int>) {};
    const std::error_code code = dvm::try_submit(dvm::onto{1u << 30}, fill, in(a), out(b));
    EXPECT(code == dvm::error_code(DVM_ERR_RANK) && code.category() == dvm::category() && !code.message().empty());
    EXPECT(b.id()[0] == before[0] && b.id()[1] == before[1]);
    bool thrown = false;
    try {
        dvm::submit(dvm::onto{1u << 30}, fill, in(a), inout(b));
    } catch (const dvm::error &e) {
        thrown = e.code() == dvm::error_code(DVM_ERR_RANK);
    }
    EXPECT(thrown);
    /* It could name only one of two new values. */
    auto pair = [](span<int>, span<int>) {};
    EXPECT(dvm::try_submit(dvm::near, pair, out(b), inout(b)) == dvm::error_code(DVM_ERR_ARGUMENT));
    EXPECT(dvm::try_submit(dvm::near, pair, out(b), out(b)) == dvm::error_code(DVM_ERR_ARGUMENT));
    EXPECT(b.id()[0] == before[0] && b.id()[1] == before[1]);
    thrown = false;
    try {
        dvm::submit(dvm::near, pair, inout(b), out(b));
    } catch (const dvm::error &e) {
        thrown = std::strstr(e.what(), "twice") != nullptr;
    }
    EXPECT(thrown);
    dvm::datum<int> c(4);
    c.write([](span<int> all) { all[3] = 5; });
    dvm::submit(dvm::near, [](span<const int> old, span<int> now) { now[3] = old[3] + 1; }, in(c), out(c));
    EXPECT(c.get()[3] == 6);
    const auto both = [](span<const int> old, span<int> now) { now[3] = 9, now[2] = old[3]; };
    dvm::submit(dvm::near, both, in(c), inout(c));
    EXPECT(c.get()[3] == 9 && c.get()[2] == 6);
    dvm::datum<int> copy = c;
    dvm::submit(dvm::near, both, in(copy), inout(c));
    EXPECT(c.get()[2] == 9 && copy.get()[2] == 6);
    /* A task that fails poisons what it was to produce. */
    dvm::submit(dvm::near, [](span<int>) { return 1; }, out(b));
    EXPECT(machine.try_wait());
    thrown = false;
    try {
        b.get();
    } catch (const dvm::error &e) {
        thrown = e.code() == dvm::error_code(DVM_ERR_POISONED);
    }
    EXPECT(thrown && !machine.try_wait());
}

/* A production by hand that throws can be begun again, also after a move; more bytes than there can be are refused. */
static void writes_that_fail()
{
    dvm::datum<int> a(2), made(1);
    dvm::submit(dvm::near, [](span<const int> from, span<int> to) { to[0] = from[0] + from[1]; }, in(a), out(made));
    bool thrown = false;
    try {
        a.write([](span<int> all) {
            all[0] = 4;
            throw std::runtime_error("no such file");
        });
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    EXPECT(thrown);
    dvm::datum<int> moved = std::move(a);
    moved.write([](span<int> all) { all[1] = all[0] + 1; });
    EXPECT(made.get()[0] == 9);
    thrown = false;
    try {
        dvm::datum<double> large((std::size_t{1} << 61) + 1);
    } catch (const dvm::error &e) {
        thrown = e.code() == dvm::error_code(DVM_ERR_MEMORY);
    }
    EXPECT(thrown);
}

/* The explanation of a task that waits says what the task is called. */
template <class F> static void is_called(F function, const char *expected)
{
    dvm::datum<int> never(1), made(1);
    dvm::submit(dvm::near, function, in(never), out(made));
    static char text[100000];
    std::size_t needed = 0;
    EXPECT(dvm_explain_text(text, sizeof text, &needed) == DVM_SUCCESS);
    EXPECT(std::strstr(text, expected) != nullptr);
    never.write([](span<int>) {});
    made.get();
}

static void doubled(span<const int>, span<int>) {}

struct with_a_name {
    static constexpr const char *task_name = "update of a tile";
    void operator()(span<const int>, span<int>) const {}
};

static void tasks_have_names()
{
    is_called(dvm::fn<doubled>, "'doubled'");
    is_called(with_a_name(), "'update of a tile'");
#ifdef __clang__
    is_called([](span<const int>, span<int>) {}, "'lambda at hpp.cpp:");
#else
    is_called([](span<const int>, span<int>) {}, "'lambda(const int, int) in tasks_have_names'");
#endif
}

int main()
{
    /* Twice: what was registered in the first life is registered again. */
    for (int life = 0; life < 2; life++) {
        dvm::machine machine;
        EXPECT(machine.workers() >= 1);
        chains();
        references();
        places(machine);
        tasks_have_names();
        writes_that_fail();
        machine.wait();
        errors(machine);
    }
    return 0;
}
