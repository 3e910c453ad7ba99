/* Finalize after a loss while threads sleep in dvm_data_get of promises that nobody publishes, of every process: all are
 * woken. `left_in_get VICTIM MICROSECONDS`; as one process nobody is killed.
 *
 * options: --keep-going
 * status: 137
 * arguments: 1 1500
 * arguments: 1 9000
 * arguments: 0 2500
 */
#include "several.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { MOST = 64 };

struct sleeper {
    dvm_data_id_t promise;
    pthread_t thread;
};

static void *sleeps(void *context)
{
    struct sleeper *me = context;
    void *at;
    size_t size;
    dvm_retcode_t code = dvm_data_get(me->promise, &at, &size);
    /* Not initialized: on a busy machine this thread has begun after the end. */
    int right = code == DVM_ERR_POISONED || code == DVM_ERR_PEER_LOST || code == DVM_ERR_STATE || code == DVM_ERR_NOT_INITIALIZED;
    CHECK(right);
    if (!right)
        fprintf(stderr, "get: %s\n", dvm_strerror(code));
    return NULL;
}

int main(int count, char **arguments)
{
    static struct sleeper sleepers[MOST];
    uint64_t victim = count > 1 ? strtoull(arguments[1], NULL, 10) : MOST;
    dvm_processing_id_t maker;
    several_begin();
    learn_ranks();
    several_register(promise_told, NULL, 1, 1, "maker", maker);
    CHECK(process_count <= MOST);
    for (uint64_t process = 0; process < process_count && process < MOST; process++) {
        dvm_data_id_t answer;
        promise_of(sizeof answer, answer);
        CHECK_OK(on_process(process, maker, &answer, 1));
        take_bytes(answer, sleepers[process].promise, sizeof answer);
    }
    CHECK_OK(dvm_wait());
    useconds_t after = victim == process_index && count > 2 ? (useconds_t)atoi(arguments[2]) : 3000;
    for (uint64_t process = 0; process < process_count && process < MOST; process++)
        CHECK_NUMBER(0, pthread_create(&sleepers[process].thread, NULL, sleeps, &sleepers[process]));
    usleep(after); /* the owners may have the requests */
    if (victim == process_index && process_count > 1)
        kill(getpid(), SIGKILL);
    dvm_retcode_t end = dvm_finalize();
    CHECK(end == DVM_SUCCESS || end == DVM_ERR_STATE || end == DVM_ERR_PEER_LOST);
    for (uint64_t process = 0; process < process_count && process < MOST; process++)
        CHECK_NUMBER(0, pthread_join(sleepers[process].thread, NULL));
    // The lowest survivor tells the result.
    process_index -= victim == 0 && process_count > 1;
    return several_result("left_in_get");
}
