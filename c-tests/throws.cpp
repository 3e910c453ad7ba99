// Callbacks that throw: the task, or the tile, has failed; the exception has ended; the worker goes on.
#include "check.h"

#include <exception>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic_int alive;

class Oops : public std::runtime_error {
  public:
    Oops() : std::runtime_error("oops") { alive++; }
    Oops(const Oops &other) : std::runtime_error(other) { alive++; }
    ~Oops() override { alive--; }
};

// Destructors between the throw and the border run.
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

// A free callback has nobody to tell: the program is aborted.
static void a_free_callback_that_throws_ends_the_program()
{
    pid_t child = fork();
    if (child == 0) {
        static char memory[8];
        dvm_data_id_t id;
        std::fclose(stderr);
        if (dvm_init() == DVM_SUCCESS && dvm_data_register(memory, sizeof memory, throws_from_free, &id) == DVM_SUCCESS)
            dvm_data_relax(id);
        _exit(0);
    }
    int status = 0;
    CHECK_NUMBER(child, waitpid(child, &status, 0));
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main()
{
    if (!getenv("DVM_TEST_SHADOWED"))
        a_free_callback_that_throws_ends_the_program();
    CHECK_OK(dvm_init());
    tasks();
    tiles();
    CHECK_OK(dvm_finalize());
    return check_end("throws");
}
