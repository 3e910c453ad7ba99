/* Chains of next: every process updates tiles of its own by tasks on all PUs, with and without other readers. */
#include "several.h"

enum { WORDS = 96, STEPS = 60, CHAINS = 6 };

static dvm_processing_id_t updater, reader;

static void update_words(uint64_t *to, const uint64_t *from, uint64_t step)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = mixed(from[i], step + i);
}

/* The output may be the memory of the input. */
static int update(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t step = input_number(ids[0]);
    uint64_t *from = bytes_of(ids[1], WORDS * 8), *to = bytes_of(ids[2], WORDS * 8);
    if (!from || !to)
        return 1;
    update_words(to, from, step);
    return 0;
}

static int sum_it(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *at = bytes_of(ids[0], WORDS * 8);
    return at ? output_number(ids[1], sum_of(at, WORDS * 8)) : 1;
}

static atomic_int freed;

static void release(void *at, size_t size)
{
    memset(at, 0xee, size);
    free(at);
    atomic_fetch_add(&freed, 1);
}

typedef struct {
    dvm_data_id_t last, sums[STEPS];
    uint64_t expected[WORDS], expected_sums[STEPS];
    int readers;
} chain_t;

/* `kind`: whether the tile is registered (1), whether it changes process at each step (2), whether it has readers (4). */
static void begin_chain(chain_t *chain, int kind, uint64_t seed)
{
    uint64_t *words = malloc(WORDS * 8);
    dvm_data_id_t now;
    fill_pattern(words, WORDS * 8, seed);
    memcpy(chain->expected, words, WORDS * 8);
    chain->readers = 0;
    if (kind & 1) {
        CHECK_OK(dvm_data_register(words, WORDS * 8, release, &now));
    } else {
        new_bytes(now, words, WORDS * 8);
        free(words);
    }
    for (uint64_t step = 0; step < STEPS; step++) {
        dvm_data_id_t ids[3], read[2];
        int before = kind & 4 && step % 3 == 0, after = kind & 4 && step % 3 == 1;
        dvm_id_copy(ids[1], now);
        CHECK_OK(dvm_data_next(now, &ids[2]));
        new_bytes(ids[0], &step, sizeof step);
        if (before || after) {
            CHECK_OK(dvm_data_acquire(now));
            promise_of(8, chain->sums[chain->readers]);
            dvm_id_copy(read[0], now);
            dvm_id_copy(read[1], chain->sums[chain->readers]);
            chain->expected_sums[chain->readers++] = sum_of(chain->expected, WORDS * 8);
        }
        if (before)
            CHECK_OK(on_rank(seed + step, reader, read, 2));
        CHECK_OK(on_rank(kind & 2 ? seed + step * 7 : seed, updater, ids, 3));
        if (after)
            CHECK_OK(on_rank(seed + step * 3, reader, read, 2));
        update_words(chain->expected, chain->expected, step);
        dvm_id_copy(now, ids[2]);
    }
    dvm_id_copy(chain->last, now);
}

static void end_chain(chain_t *chain)
{
    uint64_t found[WORDS];
    for (int i = 0; i < chain->readers; i++)
        CHECK_NUMBER(chain->expected_sums[i], take_number(chain->sums[i]));
    if (take_bytes(chain->last, found, sizeof found))
        CHECK(memcmp(found, chain->expected, sizeof found) == 0);
}

int main(void)
{
    static chain_t chains[8][CHAINS];
    several_begin();
    several_register(update, NULL, 3, 1, "update", updater);
    several_register(sum_it, NULL, 2, 1, "sum", reader);
    for (int kind = 0; kind < 8; kind++)
        for (uint64_t i = 0; i < CHAINS; i++)
            begin_chain(&chains[kind][i], kind, i + process_index * 1000);
    CHECK_OK(dvm_wait());
    for (int kind = 0; kind < 8; kind++)
        for (int i = 0; i < CHAINS; i++)
            end_chain(&chains[kind][i]);
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(4 * CHAINS, atomic_load(&freed));
    return several_end("next");
}
