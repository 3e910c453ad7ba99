/* 19 halo exchange: heat in a rod that is cut into blocks, of which each process computes some.
 *
 *     cc 19_halo.c -o halo $(pkg-config --cflags --libs dvm) && dvmrun -n 4 ./halo
 *
 * A block is a datum that one task per step updates in place (dvm_data_next), always on the same processing unit: its bytes
 * never leave that process. What neighbours need are the block's two outermost cells. Each step writes them into data of their
 * own, 8 bytes each: these are the halo, and all that travels.
 *
 *     left end of the right neighbour  <-+
 *                                        |
 *     block b, step t --+--> block b, step t + 1, its left end, its right end
 *
 * All steps are scheduled at once. No step waits for all blocks: a task starts when its block and its two ends are there.
 * The result is the same for any number of processes, also for one. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 24, CELLS = 1000, STEPS = 200 };

typedef struct {
    double now[CELLS], before[CELLS];
} block_t;

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

/* Memory of a datum: in a task until it ends, elsewhere until put. */
static void *memory_of(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    check(dvm_data_get(id, &memory, &size));
    return memory;
}

/* One step of a block between the ends of its neighbours. The new block begins with the bytes of the old one, mostly as the same
 * memory. */
static int step(dvm_data_id_t left, dvm_data_id_t old, dvm_data_id_t right, dvm_data_id_t new, dvm_data_id_t new_left,
                dvm_data_id_t new_right)
{
    block_t *block = memory_of(new);
    const double *from_left = memory_of(left), *from_right = memory_of(right);
    (void)old;
    memcpy(block->before, block->now, sizeof block->now);
    for (int i = 0; i < CELLS; i++) {
        double a = i > 0 ? block->before[i - 1] : *from_left;
        double b = i < CELLS - 1 ? block->before[i + 1] : *from_right;
        block->now[i] = 0.25 * a + 0.5 * block->before[i] + 0.25 * b;
    }
    *(double *)memory_of(new_left) = block->now[0];
    *(double *)memory_of(new_right) = block->now[CELLS - 1];
    return 0;
}

static dvm_data_id_t blocks[BLOCKS], lefts[2][BLOCKS], rights[2][BLOCKS];

static void new_number(double value, dvm_data_id_t *id)
{
    check(dvm_data_allocate(sizeof value, id));
    *(double *)memory_of(*id) = value;
    check(dvm_data_put(*id));
}

static void begin(void)
{
    for (int b = 0; b < BLOCKS; b++) {
        check(dvm_data_allocate(sizeof(block_t), &blocks[b]));
        block_t *block = memory_of(blocks[b]);
        for (int i = 0; i < CELLS; i++)
            block->now[i] = (b * CELLS + i) / 3000 % 2;
        new_number(block->now[0], &lefts[0][b]);
        new_number(block->now[CELLS - 1], &rights[0][b]);
        check(dvm_data_put(blocks[b]));
    }
}

static void one_step(int t, dvm_processing_id_t step_id, uint64_t units)
{
    dvm_data_id_t *left = lefts[t % 2], *right = rights[t % 2];
    dvm_data_id_t *new_left = lefts[(t + 1) % 2], *new_right = rights[(t + 1) % 2];
    for (int b = 0; b < BLOCKS; b++) {
        check(dvm_data_promise(sizeof(double), &new_left[b]));
        check(dvm_data_promise(sizeof(double), &new_right[b]));
    }
    for (int b = 0; b < BLOCKS; b++) {
        int before = (b + BLOCKS - 1) % BLOCKS, after = (b + 1) % BLOCKS; /* the rod is a ring */
        dvm_data_id_t next;
        dvm_rank_t rank;
        check(dvm_data_next(blocks[b], &next));
        check(dvm_rank_at((uint64_t)b * units / BLOCKS, rank, DVM_MAX_RANK_DEPTH));
        check(dvm_sched_onto(rank, step_id, right[before], blocks[b], left[after], next, new_left[b], new_right[b]));
        memcpy(blocks[b], next, sizeof next);
    }
}

static void run(void)
{
    static int modes[] = {DVM_IN, DVM_IN, DVM_IN, DVM_OUT, DVM_OUT, DVM_OUT};
    dvm_processing_id_t step_id;
    uint64_t units;
    double heat = 0, most = 0, squares = 0;

    check(dvm_processing_register(DVM_CALLBACK(step), 6, "step", step_id));
    check(dvm_processing_access(step_id, modes));
    check(dvm_rank_count(&units));
    begin();
    for (int t = 0; t < STEPS; t++)
        one_step(t, step_id, units);

    for (int b = 0; b < BLOCKS; b++) {
        const block_t *block = memory_of(blocks[b]); /* waits for the last step */
        for (int i = 0; i < CELLS; i++) {
            heat += block->now[i];
            most = block->now[i] > most ? block->now[i] : most;
            squares += block->now[i] * block->now[i];
        }
        check(dvm_data_put(blocks[b]));
        check(dvm_data_relax(blocks[b]));
    }
    printf("%d blocks of %d cells, %d steps: heat %.6f, most %.6f, squares %.6f\n", BLOCKS, CELLS, STEPS, heat, most, squares);
    check(dvm_wait());
}

int main(void)
{
    uint64_t process, processes;

    check(dvm_init());
    check(dvm_process(&process, &processes));
    if (process == 0)
        run();
    else
        check(dvm_serve()); /* runs tasks until process 0 finalizes */
    check(dvm_finalize());
    return 0;
}
