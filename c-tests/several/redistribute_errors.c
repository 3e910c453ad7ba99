/* What goes wrong in a redistribution over processes is an error in all that it concerns, and nothing hangs.
 *
 * also as: 3
 */
#include "several.h"

enum { ELEMENTS = 240 };

static const int64_t elements = ELEMENTS;

/* Blocks of an array, one for each process, or dealt cyclically. */
static dvm_distribution_t blocks(int64_t block)
{
    const int64_t processes = (int64_t)process_count;
    dvm_distribution_t made;
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &block, &processes, &made));
    CHECK_OK(dvm_distribution_set_grid(made, DVM_GRID_BY_ROWS, NULL, 0));
    return made;
}

static dvm_data_id_t *own_memory(dvm_distribution_t distribution, size_t element)
{
    dvm_data_id_t *ids = calloc(process_count, sizeof *ids);
    int64_t size;
    CHECK_OK(dvm_distribution_size(distribution, (int64_t)process_index, &size));
    CHECK_OK(dvm_data_allocate((size_t)size * element, &ids[process_index]));
    return ids;
}

static void give_up(dvm_data_id_t *ids)
{
    CHECK_OK(dvm_data_relax(ids[process_index]));
    free(ids);
}

/* One of two: there are others, or this process is alone. */
static dvm_retcode_t with_others(dvm_retcode_t code) { return process_count > 1 ? code : DVM_SUCCESS; }

static void plans_differ(void)
{
    dvm_distribution_t a = blocks(0), b = blocks(1), c = blocks(2), none = {0};
    dvm_redistribution_t plan;
    dvm_retcode_t code;
    const int first = process_index == 0;

    CHECK_CODE(with_others(DVM_ERR_ARGUMENT), dvm_redistribution_plan(a, first ? b : c, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    if (process_count == 1)
        CHECK_OK(dvm_redistribution_free(plan));
    code = dvm_redistribution_plan(a, first ? b : none, DVM_REDISTRIBUTION_COLLECTIVE, &plan);
    if (process_count == 1) {
        CHECK_OK(code);
        CHECK_OK(dvm_redistribution_free(plan));
    } else {
        CHECK_CODE(first ? DVM_ERR_STATE : DVM_ERR_ID, code);
    }
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_plan(a, b, 4 | DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    /* After all that the processes still agree on the next plan. */
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
    CHECK_OK(dvm_distribution_free(c));
}

static void processes_that_are_none(void)
{
    dvm_distribution_t a = blocks(0), b = blocks(1), unnamed;
    dvm_redistribution_t plan;
    int64_t *wrong = calloc(process_count, sizeof *wrong), one = (int64_t)process_count;
    wrong[0] = -1;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_processes(a, wrong, (int64_t)process_count));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_processes(a, wrong, (int64_t)process_count + 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_grid(a, 2, NULL, 0));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_grid(a, DVM_GRID_BY_COLUMNS, wrong, (int64_t)process_count - 1));
    wrong[0] = (int64_t)process_count;
    CHECK_OK(dvm_distribution_set_processes(a, wrong, (int64_t)process_count));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    /* Inside a process there are no memories of others. */
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_plan(a, b, 0, &plan));
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &one, &one, &unnamed));
    CHECK_CODE(DVM_ERR_STATE, dvm_redistribution_plan(unnamed, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
    CHECK_OK(dvm_distribution_free(unnamed));
    free(wrong);
}

/* A round in which one process does something else; the next one is good. */
static void rounds_differ(void)
{
    dvm_distribution_t a = blocks(0), b = blocks(1);
    dvm_redistribution_t plan;
    const size_t eight = 8, four = 4;
    const int last = process_index + 1 == process_count;
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    dvm_data_id_t *source = own_memory(a, 8), *target = own_memory(b, 8), *small = own_memory(b, 4), kept = {0, 0};

    /* Another size of elements. */
    CHECK_CODE(with_others(DVM_ERR_ARGUMENT), dvm_redistribute(plan, 1, last ? &four : &eight, source, target));
    CHECK_OK(dvm_redistribute(plan, 1, &eight, source, target));
    /* A memory that is too small. */
    CHECK_CODE(DVM_ERR_SIZE, dvm_redistribute(plan, 1, &eight, source, last ? small : target));
    CHECK_OK(dvm_redistribute(plan, 1, &eight, source, target));
    /* Arguments that are none. */
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, last ? -1 : 1, &eight, source, target));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, last ? NULL : &eight, source, target));
    /* A memory of another process. */
    if (process_count > 1) {
        if (last)
            dvm_id_copy(source[0], source[process_index]);
        CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &eight, source, target));
        if (last)
            dvm_id_copy(source[0], kept);
    }
    CHECK_OK(dvm_redistribute(plan, 1, &eight, source, target));
    /* A source is a target, too. */
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &eight, source, last ? source : target));
    CHECK_OK(dvm_redistribute(plan, 1, &eight, source, target));
    give_up(source), give_up(target), give_up(small);
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
}

static int fail(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 7;
}

/* A source of one process is poisoned: all are told, and their promises have no value. */
static void poison_spreads(void)
{
    dvm_distribution_t a = blocks(0), b = blocks(1);
    dvm_redistribution_t plan;
    const size_t eight = 8;
    const int last = process_index + 1 == process_count;
    int64_t size;
    void *at;
    size_t bytes;
    dvm_processing_id_t failing;
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    several_register(fail, NULL, 1, 1, "fail", failing);
    dvm_data_id_t *source = own_memory(a, 8), *target = calloc(process_count, sizeof *target), done;
    CHECK_OK(dvm_distribution_size(b, (int64_t)process_index, &size));
    promise_of((size_t)size * 8, target[process_index]);
    if (last) {
        dvm_rank_t here;
        CHECK_OK(dvm_data_relax(source[process_index]));
        CHECK_OK(dvm_distribution_size(a, (int64_t)process_index, &size));
        promise_of((size_t)size * 8, source[process_index]);
        CHECK_OK(dvm_rank_get(here, DVM_MAX_RANK_DEPTH));
        CHECK_OK(dvm_redistribute_start(plan, 1, &eight, source, target, &done));
        CHECK_OK(dvm_sched_onto_v(here, failing, &source[process_index], 1));
    } else {
        CHECK_OK(dvm_redistribute_start(plan, 1, &eight, source, target, &done));
    }
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(done, &at, &bytes));
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(target[process_index], &at, &bytes));
    CHECK_OK(dvm_data_relax(done));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    give_up(source), give_up(target);
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
    CHECK_OK(dvm_processing_unregister(&failing));
}

/* A plan that one process has freed: the others' next round fails, rounds under way do not. */
static void freed_plans(void)
{
    dvm_distribution_t a = blocks(0), b = blocks(1);
    dvm_redistribution_t plan;
    const size_t eight = 8;
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    dvm_data_id_t *source = own_memory(a, 8), *target = own_memory(b, 8), done;
    CHECK_OK(dvm_redistribute_start(plan, 1, &eight, source, target, &done));
    if (process_index == 0) {
        CHECK_OK(dvm_redistribution_free(plan));
        CHECK_CODE(DVM_ERR_ID, dvm_redistribute(plan, 1, &eight, source, target));
        bytes_of(done, 0);
        CHECK_OK(dvm_data_put(done));
    } else {
        bytes_of(done, 0);
        CHECK_OK(dvm_data_put(done));
        CHECK_CODE(DVM_ERR_ID, dvm_redistribute(plan, 1, &eight, source, target));
        CHECK_OK(dvm_redistribution_free(plan));
    }
    CHECK_OK(dvm_data_relax(done));
    give_up(source), give_up(target);
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
}

/* Plans end with their job. */
static void another_life(void)
{
    dvm_distribution_t a = blocks(0), b = blocks(1);
    dvm_redistribution_t plan;
    const size_t eight = 8;
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    CHECK_OK(dvm_finalize());
    CHECK_OK(dvm_init());
    dvm_data_id_t *source = own_memory(a, 8), *target = own_memory(b, 8);
    CHECK_CODE(with_others(DVM_ERR_STATE), dvm_redistribute(plan, 1, &eight, source, target));
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    CHECK_OK(dvm_redistribute(plan, 1, &eight, source, target));
    CHECK_OK(dvm_redistribution_free(plan));
    give_up(source), give_up(target);
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
}

int main(void)
{
    several_begin();
    plans_differ();
    processes_that_are_none();
    rounds_differ();
    poison_spreads();
    freed_plans();
    another_life();
    return several_end("redistribute_errors");
}
