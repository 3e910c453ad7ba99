/* DMA_SEND and DMA_RECEIVE between memories of several processes: all list the same copies, each process's places get what
 * they are to get, and who lists something else is an error in all.
 *
 * also as: 3
 */
#include "several.h"
#include "../dice.h"
#include <dvm_dma.h>

enum { SOURCES = 5, TARGETS = 4, PLACES = 900, CASES = 60, MOST = 64 };

/* The memories of one side: those of this process, and for checks a copy of all. */
typedef struct {
    int64_t process[SOURCES];
    dvm_data_id_t id[SOURCES];
    unsigned char *all[SOURCES];
} side_t;

static void make_side(side_t *side, int count, size_t element, int is_source, dice_t *dice)
{
    memset(side, 0, sizeof *side);
    for (int m = 0; m < count; m++) {
        const size_t size = PLACES * element;
        side->process[m] = dice_below(dice, (int)process_count);
        uint64_t seed = dice_next(dice);
        side->all[m] = calloc(size, 1);
        if (side->all[m] == NULL)
            exit(EXIT_FAILURE);
        if (is_source)
            fill_pattern(side->all[m], size, seed);
        if (side->process[m] == (int64_t)process_index)
            new_bytes(side->id[m], side->all[m], size);
    }
}

/* Lists random copies that write each place once, and makes them in the copies of all memories. */
static int list_copies(dvm_dma_t dma, side_t *source, side_t *target, size_t element, dice_t *dice)
{
    int copies = 0;
    for (int t = 0; t < TARGETS; t++)
        for (int64_t at = 0; at < PLACES - 130; copies++) {
            const int s = dice_below(dice, SOURCES);
            const int64_t rows = 1 + dice_below(dice, 8), columns = 1 + dice_below(dice, 16);
            const int64_t from = dice_below(dice, 300), step = 1 + dice_below(dice, 9), row = dice_below(dice, 50);
            DMA_SEND_2D(s, from, columns, step, rows, row);
            DMA_RECEIVE_2D(t, at, columns, rows, rows, 1);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t c = 0; c < columns; c++)
                    memcpy(target->all[t] + (size_t)(at + c * rows + r) * element,
                           source->all[s] + (size_t)(from + c * step + r * row) * element, element);
            at += rows * columns + dice_below(dice, 3);
        }
    return copies;
}

static void end_side(side_t *side, int count, size_t element, int compare)
{
    for (int m = 0; m < count; m++) {
        if (side->process[m] == (int64_t)process_index) {
            void *at = bytes_of(side->id[m], PLACES * element);
            if (compare)
                CHECK(at && memcmp(at, side->all[m], PLACES * element) == 0);
            CHECK_OK(dvm_data_put(side->id[m]));
            CHECK_OK(dvm_data_relax(side->id[m]));
        }
        free(side->all[m]);
    }
}

static void try_case(uint64_t seed)
{
    dice_t dice = {seed};
    const size_t element = dice_one_in(&dice, 2) ? 8 : (size_t)(1 + dice_below(&dice, MOST));
    const int odd = dice_one_in(&dice, 6), outside = odd && dice_one_in(&dice, 2);
    const int is_odd = odd && process_index + 1 == process_count;
    side_t source, target;
    dvm_dma_t dma;
    make_side(&source, SOURCES, element, 1, &dice);
    make_side(&target, TARGETS, element, 0, &dice);
    CHECK_OK(dvm_dma_open_over(&dma, element, source.id, source.process, SOURCES, target.id, target.process, TARGETS));
    for (int round = 0; round < 2; round++) {
        for (int t = 0; t < TARGETS; t++)
            memset(target.all[t], 0, PLACES * element);
        CHECK(list_copies(dma, &source, &target, element, &dice) > TARGETS);
        CHECK_OK((dvm_retcode_t)DMA_WAIT());
        for (int t = 0; t < TARGETS; t++)
            if (target.process[t] == (int64_t)process_index) {
                unsigned char *at = bytes_of(target.id[t], PLACES * element);
                CHECK(at && memcmp(at, target.all[t], PLACES * element) == 0);
                if (at)
                    memset(at, 0, PLACES * element);
                CHECK_OK(dvm_data_put(target.id[t]));
            }
    }
    if (odd && process_count > 1) {
        /* One process lists another copy, or one that its own memory has no place for. */
        DMA_SEND(0, is_odd && !outside, 1, 1);
        DMA_RECEIVE(0, is_odd && outside ? -1 : 0, 1, 1);
        CHECK((dvm_retcode_t)DMA_WAIT() != DVM_SUCCESS);
    }
    CHECK_OK(dvm_dma_close(dma));
    end_side(&source, SOURCES, element, 1);
    for (int t = 0; t < TARGETS; t++)
        memset(target.all[t], 0, PLACES * element);
    end_side(&target, TARGETS, element, 1);
}

int main(void)
{
    several_begin();
    for (uint64_t seed = 1; seed <= CASES && atomic_load(&check_failures) == 0; seed++)
        try_case(seed);
    return several_end("redistribute_dma");
}
