/* A process is killed while all redistribute: every survivor is told within seconds, no call hangs, finalize works.
 * `redistribute_killed VICTIM MILLISECONDS`; as one process nobody is killed.
 *
 * options: --keep-going
 * status: 137
 * arguments: 1 20
 * arguments: 1 97
 * arguments: 0 50
 * also as: 3
 */
#include "several.h"
#include <signal.h>
#include <unistd.h>
#include <time.h>

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* Blocks of rows, or of columns, one for each process. */
static dvm_distribution_t bands(int columns)
{
    const int64_t elements[2] = {600, 600}, count = (int64_t)process_count, one = 1, block[2] = {0, 0};
    const int64_t processes[2] = {columns ? one : count, columns ? count : one};
    dvm_distribution_t made;
    CHECK_OK(dvm_distribution_block_cyclic(2, elements, block, processes, &made));
    CHECK_OK(dvm_distribution_set_grid(made, DVM_GRID_BY_ROWS, NULL, 0));
    return made;
}

static void own_memory(dvm_distribution_t distribution, dvm_data_id_t *ids)
{
    int64_t size;
    CHECK_OK(dvm_distribution_size(distribution, (int64_t)process_index, &size));
    CHECK_OK(dvm_data_allocate((size_t)size * sizeof(double), &ids[process_index]));
}

int main(int count, char **arguments)
{
    const uint64_t victim = count > 1 ? (uint64_t)atoi(arguments[1]) : 1;
    const double after = count > 2 ? 1e-3 * atoi(arguments[2]) : 0.1;
    const size_t element = sizeof(double);
    dvm_redistribution_t there, back;
    several_begin();
    dvm_distribution_t rows = bands(0), columns = bands(1);
    dvm_data_id_t *a = calloc(process_count, sizeof *a), *b = calloc(process_count, sizeof *b);
    CHECK_OK(dvm_redistribution_plan(rows, columns, DVM_REDISTRIBUTION_COLLECTIVE, &there));
    CHECK_OK(dvm_redistribution_plan(columns, rows, DVM_REDISTRIBUTION_COLLECTIVE, &back));
    own_memory(rows, a), own_memory(columns, b);
    if (process_count == 1)
        return several_end("redistribute_killed");
    double begun = now();
    dvm_retcode_t code = DVM_SUCCESS;
    for (int round = 0; code == DVM_SUCCESS && now() < begun + after + 10; round++) {
        if (process_index == victim && now() > begun + after)
            kill(getpid(), SIGKILL);
        code = round % 2 ? dvm_redistribute(back, 1, &element, b, a) : dvm_redistribute(there, 1, &element, a, b);
    }
    CHECK_CODE(DVM_ERR_PEER_LOST, code);
    CHECK_CODE(DVM_ERR_PEER_LOST, dvm_redistribute(there, 1, &element, a, b));
    CHECK_CODE(DVM_ERR_PEER_LOST, dvm_redistribution_plan(rows, columns, DVM_REDISTRIBUTION_COLLECTIVE, &there));
    check_report(now() < begun + after + 3, __FILE__, __LINE__, "a loss is told in time");
    begun = now();
    dvm_wait();
    dvm_finalize();
    check_report(now() - begun < 3, __FILE__, __LINE__, "wait and finalize do not hang");
    // The lowest survivor tells the result.
    process_index -= victim == 0;
    return several_result("redistribute_killed");
}
