/* 17 ring: tasks in several processes, each of which schedules the next one.
 *
 *     cc 17_ring.c -o ring $(pkg-config --cflags --libs dvm) && dvmrun -n 4 ./ring
 *
 * All processes run this program. Process 0 begins; the others serve: their workers run tasks, and dvm_serve() returns when
 * process 0 finalizes. The ranks of all processes are in one list, so nothing in the program says which process runs what.
 *
 * A task is a function and data. What it needs of process 0 (here the id of the function, and of the promise at the end)
 * comes with the data: variables of the program are different ones in each process.
 *
 * The program prints the same for any number of processes, also for one. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

/* What goes around: it ends with one counter for each processing unit. */
typedef struct {
    dvm_processing_id_t step, arrive;
    dvm_data_id_t end; /* the promise for the last token */
    uint64_t at, units, hops;
    uint64_t visits[];
} token_t;

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

static token_t *token_in(dvm_data_id_t id, size_t *size)
{
    void *memory;
    check(dvm_data_get(id, &memory, size));
    return memory;
}

/* Takes the token, and hands a new one to the next unit. A datum is written once: the old token stays as it is. */
static int step(dvm_data_id_t id)
{
    size_t size;
    const token_t *token = token_in(id, &size);
    dvm_data_id_t next;
    dvm_rank_t rank;

    check(dvm_data_allocate(size, &next));
    token_t *copy = token_in(next, &size);
    memcpy(copy, token, size);
    copy->visits[copy->at]++;
    copy->hops++;
    copy->at = (copy->at + 1) % copy->units;

    check(dvm_rank_at(copy->at, rank, DVM_MAX_RANK_DEPTH));
    if (copy->hops < ROUNDS * copy->units)
        check(dvm_sched_onto(rank, copy->step, next));
    else
        check(dvm_sched_onto(rank, copy->arrive, next, copy->end));
    return 0;
}

/* Writes the last token into the promise of process 0. */
static int arrive(dvm_data_id_t token, dvm_data_id_t end)
{
    size_t size;
    const token_t *from = token_in(token, &size);
    memcpy(token_in(end, &size), from, size);
    return 0;
}

static void run(void)
{
    static int second_is_output[] = {DVM_IN, DVM_OUT};
    dvm_data_id_t first, end;
    dvm_rank_t rank;
    uint64_t units, equal = 0;
    size_t size;

    check(dvm_rank_count(&units));
    size = sizeof(token_t) + units * sizeof(uint64_t);
    check(dvm_data_allocate(size, &first));
    check(dvm_data_promise(size, &end));
    token_t *token = token_in(first, &size);
    check(dvm_processing_register(DVM_CALLBACK(step), 1, "step", token->step));
    check(dvm_processing_register(DVM_CALLBACK(arrive), 2, "arrive", token->arrive));
    check(dvm_processing_access(token->arrive, second_is_output));
    memcpy(token->end, end, sizeof end);
    token->units = units;
    check(dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH));
    dvm_processing_id_t begin = {token->step[0], token->step[1]};
    check(dvm_data_put(first));
    check(dvm_sched_onto(rank, begin, first));

    /* Waits for the publication, and brings the bytes here. */
    token = token_in(end, &size);
    for (uint64_t i = 0; i < units; i++)
        equal += token->visits[i] == ROUNDS;
    printf("The token went around %d times.\n", ROUNDS);
    printf("It has been on %s processing units as often.\n", equal == units ? "all" : "not all");
    check(dvm_data_put(end));
    check(dvm_data_relax(end));
}

int main(void)
{
    uint64_t process, processes;

    check(dvm_init());
    check(dvm_process(&process, &processes));
    if (process == 0)
        run();
    else
        check(dvm_serve());
    check(dvm_finalize());
    return 0;
}
