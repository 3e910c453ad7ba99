/* A stencil of 64 columns of 8 bytes: blocks of columns on all processes in turn, many steps, as the sequential one. */
#include "several.h"

enum { WIDTH = 64, STEPS = 120 };

static uint64_t cell(uint64_t left, uint64_t middle, uint64_t right)
{
    return mixed(left + 3 * middle, right ^ middle);
}

/* The context is a number: what is missing, nothing, the left or the right neighbour. */
enum { INNER, FIRST, LAST };

static int step(void *context, dvm_data_id_t *ids, int count)
{
    uint64_t in[3] = {0, 0, 0};
    int kind = (int)(uintptr_t)context, from = kind == FIRST;
    for (int i = 0; i < count - 1; i++)
        in[from + i] = input_number(ids[i]);
    return output_number(ids[count - 1], cell(in[0], in[1], in[2]));
}

static dvm_processing_id_t inner, first, last;

/* The PU of a column: the columns are cut into blocks, for one PU of each process, or for more PUs. */
static uint64_t place(int column, int blocks)
{
    uint64_t block = (uint64_t)column * blocks / WIDTH;
    return blocks == (int)process_count ? rank_of_process[block] : block;
}

static void run(int blocks, int wait_each)
{
    static dvm_data_id_t rows[2][WIDTH];
    uint64_t expected[WIDTH], before[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        expected[i] = mixed(i, blocks);
        new_bytes(rows[0][i], &expected[i], 8);
    }
    for (int t = 0; t < STEPS; t++) {
        dvm_data_id_t *from = rows[t % 2], *to = rows[(t + 1) % 2];
        memcpy(before, expected, sizeof before);
        for (int i = 0; i < WIDTH; i++) {
            promise_of(8, to[i]);
            /* One reference is there; the neighbours need more. */
            for (int readers = (i > 0) + (i < WIDTH - 1); readers > 0; readers--)
                CHECK_OK(dvm_data_acquire(from[i]));
            expected[i] = cell(i ? before[i - 1] : 0, before[i], i < WIDTH - 1 ? before[i + 1] : 0);
        }
        for (int i = 0; i < WIDTH; i++) {
            dvm_data_id_t ids[4];
            int count = 0;
            if (i > 0)
                dvm_id_copy(ids[count++], from[i - 1]);
            dvm_id_copy(ids[count++], from[i]);
            if (i < WIDTH - 1)
                dvm_id_copy(ids[count++], from[i + 1]);
            dvm_id_copy(ids[count++], to[i]);
            CHECK_OK(on_rank(place(i, blocks), i == 0 ? first : i == WIDTH - 1 ? last : inner, ids, count));
        }
        if (wait_each && t % 10 == 9)
            CHECK_OK(dvm_wait());
    }
    for (int i = 0; i < WIDTH; i++)
        CHECK_NUMBER(expected[i], take_number(rows[STEPS % 2][i]));
    CHECK_OK(dvm_wait());
}

static void drive(void)
{
    learn_ranks();
    several_register(step, (void *)INNER, 4, 1, "inner column", inner);
    several_register(step, (void *)FIRST, 3, 1, "first column", first);
    several_register(step, (void *)LAST, 3, 1, "last column", last);
    for (int i = 0; i < 4; i++)
        run(i < 2 ? (int)process_count : 2 << i, i % 2);
}

int main(void)
{
    return several_main("stencil", drive);
}
