/* The process whose shared object all others are getting is killed: they come to their end, and the tasks to theirs.
 * `shipper_lost MICROSECONDS`, after which it is killed; as one process nobody is.
 *
 * options: --keep-going
 * status: 137
 * arguments: 0
 * arguments: 3000
 * arguments: 20000
 * arguments: 60000
 * plugin: large plugin_tasks.c -DPADDING=40000000
 */
#include "several.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

static void ship_and_die(useconds_t after)
{
    static int second_is_output[] = {DVM_IN, DVM_OUT};
    dvm_processing_id_t p;
    int (*function)(void);
    void *handle = dlopen(PLUGINS "/large.so", RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL);
    *(void **)&function = dlsym(handle, "plugin_task");
    CHECK_OK(dvm_processing_register(function, 2, "of a large plugin", p));
    CHECK_OK(dvm_processing_access(p, second_is_output));
    for (uint64_t i = 0; i < 4 * rank_count; i++) {
        dvm_data_id_t ids[2];
        new_number(ids[0], (int64_t)i);
        promise_of(8, ids[1]);
        CHECK_OK(on_rank(i % rank_count, p, ids, 2));
    }
    usleep(after);
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    setenv("DVM_SHIP_CODE", "1", 1);
    several_begin();
    if (process_index == 1)
        ship_and_die((useconds_t)(argc > 1 ? atoi(argv[1]) : 0));
    dvm_retcode_t code = process_count > 1 ? DVM_SUCCESS : DVM_ERR_PEER_LOST;
    /* The first waits may come to their end before. */
    for (int i = 0; i < 1000 && code != DVM_ERR_PEER_LOST; i++) {
        code = dvm_wait();
        CHECK(code == DVM_SUCCESS || code == DVM_ERR_TASK || code == DVM_ERR_PEER_LOST);
    }
    CHECK_NUMBER(DVM_ERR_PEER_LOST, code);
    code = dvm_finalize();
    CHECK(code == DVM_SUCCESS || code == DVM_ERR_TASK || code == DVM_ERR_PEER_LOST);
    return several_result("shipper_lost");
}
