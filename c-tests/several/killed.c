/* A process is killed while all compute: every survivor is told within a second, no call hangs, finalize works.
 * `killed VICTIM MILLISECONDS`; as one process nobody is killed.
 *
 * options: --keep-going
 * status: 137
 * arguments: 1 30
 * arguments: 1 151
 * arguments: 1 333
 * arguments: 0 40
 * arguments: 0 200
 */
#include "several.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static int add(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t sum = input_number(ids[0]) + input_number(ids[1]);
    return output_bytes(ids[2], &sum, sizeof sum);
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int is_lost(dvm_retcode_t code, const char *where)
{
    if (code != DVM_SUCCESS && code != DVM_ERR_PEER_LOST && code != DVM_ERR_POISONED && code != DVM_ERR_TASK &&
        code != DVM_ERR_STATE && code != DVM_ERR_ID) {
        check_report(0, __FILE__, __LINE__, where);
        fprintf(stderr, "%s: %s\n", where, dvm_strerror(code));
    }
    return code == DVM_ERR_PEER_LOST;
}

/* A chain over all processes; says whether a loss was told. */
static int chain(dvm_processing_id_t p, double *told)
{
    enum { LENGTH = 60 };
    dvm_data_id_t one, last;
    uint64_t number = 1;
    int lost = 0;
    new_bytes(one, &number, sizeof number);
    new_bytes(last, &number, sizeof number);
    for (uint64_t i = 0; i < LENGTH && !lost; i++) {
        dvm_data_id_t ids[3];
        dvm_id_copy(ids[0], one), dvm_id_copy(ids[1], last);
        promise_of(sizeof number, ids[2]);
        dvm_data_acquire(one);
        dvm_retcode_t code = on_rank(process_index + i, p, ids, 3);
        lost = is_lost(code, "schedule");
        if (code == DVM_SUCCESS)
            dvm_data_relax(last);
        dvm_id_copy(last, ids[2]);
    }
    void *at;
    size_t size;
    *told = now();
    if (!lost)
        lost = is_lost(dvm_data_get(last, &at, &size), "get");
    return lost;
}

int main(int count, char **arguments)
{
    uint64_t victim = count > 1 ? (uint64_t)atoi(arguments[1]) : 1;
    double after = count > 2 ? 1e-3 * atoi(arguments[2]) : 0.1, begun, told;
    dvm_processing_id_t p;
    several_begin();
    several_register(add, NULL, 3, 1, "add", p);
    CHECK_OK(dvm_wait());
    if (process_count == 1)
        return several_end("killed");
    begun = now();
    int lost = 0;
    while (!lost && now() < begun + after + 5) {
        if (process_index == victim && now() > begun + after)
            kill(getpid(), SIGKILL);
        lost = chain(p, &told);
        if (!lost && now() > begun + after + 0.5)
            lost = is_lost(dvm_wait(), "wait");
    }
    double took = now() - begun - after;
    if (took > 1.5 || !lost)
        fprintf(stderr, "process %d: lost %d after %.3f s\n", (int)process_index, lost, took);
    check_report(lost && took < 1.5, __FILE__, __LINE__, "a loss is told in time");
    begun = now();
    dvm_wait();
    dvm_finalize();
    check_report(now() - begun < 1.5, __FILE__, __LINE__, "wait and finalize do not hang");
    // The lowest survivor tells the result.
    process_index -= victim == 0;
    return several_result("killed");
}
