// Callbacks that throw: the task or tile fails, the exception ends there, and the worker goes on.
#include "check.h"

#include <exception>
#include <stdexcept>
#include <pthread.h>

static std::atomic_int alive;

class Oops : public std::runtime_error {
  public:
    Oops() : std::runtime_error("oops") { alive++; }
    Oops(const Oops &other) : std::runtime_error(other) { alive++; }
    ~Oops() override { alive--; }
};

// Destructors between the throw and the unwind boundary run.
struct Guard {
    Guard() { alive++; }
    ~Guard() { alive--; }
};

static int throws(dvm_data_id_t out)
{
    Guard guard;
    set_number(out, 1);
    throw Oops();
}

static int throws_a_number(void *, dvm_data_id_t *, int)
{
    throw 42;
}

static int throws_in_a_section(void *, dvm_data_id_t *, int)
{
    Guard guard;
    if (dvm_blocking_begin() != DVM_SUCCESS)
        return 1;
    throw Oops();
}

static int nothing_is_uncaught(void *, dvm_data_id_t *, int)
{
    return std::uncaught_exceptions() == 0 && !std::current_exception() ? 0 : 1;
}

static void check_worker_works(dvm_rank_t rank)
{
    dvm_processing_id_t p;
    CHECK_OK(dvm_processing_register_v(nothing_is_uncaught, nullptr, 0, nullptr, p));
    for (int i = 0; i < 10; i++)
        CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(0, alive.load());
}

static void tasks()
{
    dvm_processing_id_t object, number, section;
    dvm_rank_t rank;
    int modes[] = {DVM_OUT};
    char name[] = "thrower";

    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(throws), 1, name, object));
    CHECK_OK(dvm_processing_access(object, modes));
    CHECK_OK(dvm_processing_register_v(throws_a_number, nullptr, 0, name, number));
    CHECK_OK(dvm_processing_cores(number, 2));
    CHECK_OK(dvm_processing_register_v(throws_in_a_section, nullptr, 0, name, section));
    for (int i = 0; i < 50; i++) {
        dvm_data_id_t out;
        void *at;
        size_t size;
        CHECK_OK(dvm_data_promise(8, &out));
        CHECK_OK(dvm_sched_onto(rank, object, out));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        CHECK_MENTIONS("thrower");
        CHECK_MENTIONS("threw a C++ exception of type Oops");
        CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(out, &at, &size));
        CHECK_OK(dvm_data_relax(out));
        CHECK_OK(dvm_sched_onto(rank, number));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        CHECK_MENTIONS("type int");
        CHECK_OK(dvm_sched_onto(rank, section));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        check_worker_works(rank);
    }
}

static int tile_throws(void *, const int64_t *tile)
{
    Guard guard;
    if (tile[0] == 3)
        throw Oops();
    return 0;
}

static void tiles()
{
    dvm_rank_t rank;
    int64_t lower[] = {0}, upper[] = {9};
    int carried[] = {1};
    dvm_graph_t graph = {};
    graph.size = sizeof graph;
    graph.name = "steps";
    graph.dimension = 1;
    graph.lower = lower;
    graph.upper = upper;
    graph.carried = carried;
    graph.run = tile_throws;
    CHECK_CODE(DVM_ERR_TASK, dvm_graph_run(&graph));
    CHECK_MENTIONS("tile [3] threw a C++ exception of type Oops");
    lower[0] = upper[0] = 3; // alone, on this thread
    CHECK_CODE(DVM_ERR_TASK, dvm_graph_run(&graph));
    CHECK_MENTIONS("Oops");
    CHECK_NUMBER(0, std::uncaught_exceptions());
    nth_rank(0, rank);
    check_worker_works(rank);
}

static void throws_from_free(void *, size_t)
{
    throw Oops();
}

static void leaves_from_free(void *, size_t)
{
    Guard guard;
    pthread_exit(nullptr);
}

static int drops_its_input(void *, dvm_data_id_t *, int)
{
    return 0;
}

// No task fails, but the next wait reports the exception. The calling thread goes on, and so does a worker.
static void free_callbacks()
{
    static char memory[8];
    dvm_processing_id_t drops;
    dvm_data_id_t id;
    dvm_rank_t rank;
    struct {
        void (*free)(void *, size_t);
        const char *story;
    } cases[] = {{throws_from_free, "a free callback threw a C++ exception of type Oops"},
                 {leaves_from_free, "a free callback was unwound by pthread_exit"}};

    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register_v(drops_its_input, nullptr, 1, nullptr, drops));
    for (auto &c : cases) {
        for (int i = 0; i < 10; i++) {
            int state;
            CHECK_OK(dvm_data_register(memory, sizeof memory, c.free, &id));
            CHECK_OK(dvm_data_relax(id));
            CHECK_CODE(DVM_ERR_TASK, dvm_wait());
            CHECK_MENTIONS(c.story);
            pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
            CHECK_NUMBER(PTHREAD_CANCEL_ENABLE, state);
            CHECK_OK(dvm_data_register(memory, sizeof memory, c.free, &id));
            CHECK_OK(dvm_sched_onto(rank, drops, id));
            CHECK_CODE(DVM_ERR_TASK, dvm_wait());
            CHECK_MENTIONS(c.story);
            check_worker_works(rank);
        }
    }
}

enum where { PREDECESSORS, SUCCESSORS, FOOTPRINT };
struct Thrower {
    where at;
    bool exits;
};

static void leave(void *context, where here)
{
    auto *thrower = static_cast<Thrower *>(context);
    Guard guard;
    if (thrower->at != here)
        return;
    if (thrower->exits)
        pthread_exit(nullptr);
    throw Oops();
}

static int64_t predecessors_throw(void *context, const int64_t *tile)
{
    if (tile[0] == 5)
        leave(context, PREDECESSORS);
    return tile[0] > 0;
}

static void successors_throw(void *context, const int64_t *tile, dvm_graph_visit_t visit, void *visitor)
{
    Guard guard;
    int64_t next = tile[0] + 1;
    if (next <= 9)
        visit(visitor, &next);
    if (tile[0] == 5)
        leave(context, SUCCESSORS);
}

static int64_t footprint_throws(void *context, const int64_t *)
{
    leave(context, FOOTPRINT);
    return 8;
}

static int tile_runs(void *, const int64_t *)
{
    return 0;
}

static void functions_of_graphs()
{
    dvm_rank_t rank;
    int64_t lower[] = {0}, upper[] = {9}, extent[] = {100};
    Thrower thrower = {};
    dvm_graph_t graph = {};
    graph.size = sizeof graph;
    graph.name = "told";
    graph.dimension = 1;
    graph.lower = lower;
    graph.upper = upper;
    graph.run = tile_runs;
    graph.predecessors = predecessors_throw;
    graph.successors = successors_throw;
    graph.context = &thrower;
    nth_rank(0, rank);
    for (int i = 0; i < 20; i++) {
        const char *story;
        thrower.exits = i % 2;
        story = thrower.exits ? "pthread_exit" : "threw a C++ exception of type Oops";
        thrower.at = PREDECESSORS;
        CHECK_CODE(DVM_ERR_TASK, dvm_graph_run(&graph));
        CHECK_MENTIONS(story);
        CHECK_MENTIONS("in its predecessors function");
        check_worker_works(rank);
        thrower.at = SUCCESSORS;
        CHECK_CODE(DVM_ERR_TASK, dvm_graph_run(&graph));
        CHECK_MENTIONS(story);
        CHECK_MENTIONS("in its successors function");
        check_worker_works(rank);
        thrower.at = FOOTPRINT;
        int64_t size[] = {0};
        CHECK_CODE(DVM_ERR_TASK, dvm_graph_sizes("told", 1, extent, nullptr, footprint_throws, &thrower, size));
        CHECK_MENTIONS(story);
        CHECK_NUMBER(0, size[0]);
        check_worker_works(rank);
    }
}

int main()
{
    CHECK_OK(dvm_init());
    tasks();
    tiles();
    free_callbacks();
    functions_of_graphs();
    CHECK_OK(dvm_finalize());
    return check_end("throws");
}
