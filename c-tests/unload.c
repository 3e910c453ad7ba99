/* A program that loads and unloads libdvm while it runs: the library stays, and so do its workers. */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>

#define FUNCTIONS(each) \
    each(dvm_init) each(dvm_finalize) each(dvm_wait) each(dvm_rank_at) each(dvm_sched_onto) \
        each(dvm_processing_register) each(dvm_graph_start) each(dvm_data_promise)

#define POINTER(name) static __typeof__(&name) p_##name;
FUNCTIONS(POINTER)

static void *load(void)
{
    void *library = dlopen(DVM_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
#define FIND(name) p_##name = (__typeof__(&name))dlsym(library, #name);
    FUNCTIONS(FIND)
    return library;
}

static atomic_int ran;

static int slow(void)
{
    check_sleep(2);
    atomic_fetch_add(&ran, 1);
    return 0;
}

static void schedule(int count)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    CHECK(p_dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH) == DVM_SUCCESS);
    CHECK(p_dvm_processing_register(DVM_CALLBACK(slow), 0, "slow", p) == DVM_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK(p_dvm_sched_onto(rank, p) == DVM_SUCCESS);
}

int main(void)
{
    dvm_data_id_t never;

    /* Unloaded without a call. */
    CHECK(dlclose(load()) == 0);
    /* Unloaded while tasks run: they end, and a later load finds the library running. */
    void *library = load();
    CHECK(p_dvm_init() == DVM_SUCCESS);
    schedule(20);
    CHECK(dlclose(library) == 0);
    check_sleep(5);
    library = load();
    CHECK(p_dvm_init() == DVM_ERR_ALREADY_INITIALIZED);
    CHECK(p_dvm_wait() == DVM_SUCCESS);
    CHECK_NUMBER(20, atomic_load(&ran));
    CHECK(p_dvm_finalize() == DVM_SUCCESS);
    CHECK(dlclose(library) == 0);
    /* Several lives, loaded each time. */
    for (int life = 0; life < 5; life++) {
        library = load();
        CHECK(p_dvm_init() == DVM_SUCCESS);
        schedule(2);
        CHECK(p_dvm_finalize() == DVM_SUCCESS);
        CHECK(dlclose(library) == 0);
    }
    CHECK_NUMBER(30, atomic_load(&ran));
    /* Unloaded with tasks and a promise when the program ends. The code that runs at exit is still there. */
    library = load();
    CHECK(p_dvm_graph_start() == DVM_SUCCESS);
    CHECK(p_dvm_data_promise(8, &never) == DVM_SUCCESS);
    schedule(3);
    CHECK(dlclose(library) == 0);
    return check_end("unload");
}
