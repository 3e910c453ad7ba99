/* Large data, which processes of one host read where they lie: freed and made anew while others read, carried on, got by threads.
 * arguments: heap
 * arguments: vm
 * arguments: ring
 */
#include "several.h"

/* Larger data than that lie in shared memory. */
enum { STEPS = 40, CHAINS = 3, LARGEST_ELSEWHERE = 64 << 10 };

static dvm_processing_id_t maker, updater, reader, mapped, relaxer;

/* Sizes around that, and one that goes back to the system when it is freed. */
static size_t size_of(uint64_t seed)
{
    static const size_t sizes[] = {LARGEST_ELSEWHERE - 8, LARGEST_ELSEWHERE, LARGEST_ELSEWHERE + 8, 300000, 100000, 1 << 20};
    return seed % 97 == 0 ? 33 << 20 : sizes[seed % 6];
}

/* Bytes that depend on the seed; of very large data every page has some. */
static void write_words(void *at, size_t size, uint64_t seed)
{
    uint64_t *words = at;
    for (size_t i = 0; i < size / 8; i += size > 2 << 20 ? 512 : 1)
        words[i] = mixed(seed, i);
}

static int has_words(const void *at, size_t size, uint64_t seed)
{
    const uint64_t *words = at;
    for (size_t i = 0; i < size / 8; i += size > 2 << 20 ? 512 : 1)
        if (words[i] != mixed(seed, i))
            return 0;
    return 1;
}

static int make(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t seed = input_number(ids[0]);
    void *at = bytes_of(ids[1], size_of(seed));
    if (at == NULL)
        return 1;
    const unsigned char *bytes = at;
    for (size_t i = 0; i < size_of(seed); i += 4096)
        CHECK(bytes[i] == 0); /* an output begins as zeros, whoever had the memory before */
    write_words(at, size_of(seed), seed);
    return 0;
}

/* The words of the input, then those of the next seed in the same memory or another. */
static int update(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *seeds = bytes_of(ids[0], 16);
    size_t size = size_of(seeds[0]);
    const void *from = bytes_of(ids[1], size);
    void *to = bytes_of(ids[2], size);
    if (!seeds || !from || !to)
        return 1;
    CHECK(has_words(from, size, seeds[1]));
    write_words(to, size, seeds[1] + 1);
    return 0;
}

/* Reads for a while: others free and make data meanwhile. */
static int read_twice(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *seeds = bytes_of(ids[0], 16);
    size_t size = size_of(seeds[0]);
    const void *at = bytes_of(ids[1], size);
    if (at == NULL)
        return 1;
    int first = has_words(at, size, seeds[1]);
    check_sleep(1);
    return output_number(ids[2], (uint64_t)first + 2 * (uint64_t)has_words(at, size, seeds[1]));
}

/* Whether an input lies in a memory file. */
static int is_mapped(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    size_t size, from, to;
    void *at = NULL;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    char line[512];
    uint64_t found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%zx-%zx", &from, &to) == 2 && from <= (size_t)at && (size_t)at < to && strstr(line, "memfd:libdvm"))
            found = strstr(line, " r--s ") ? 2 : 1;
    if (maps)
        fclose(maps);
    return output_number(ids[1], found);
}

static int relax_it(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_OK(dvm_data_relax(bytes_of(ids[0], 16)));
    return output_number(ids[1], 1);
}

static void seeds_of(uint64_t first, uint64_t now, dvm_data_id_t id)
{
    uint64_t seeds[2] = {first, now};
    new_bytes(id, seeds, sizeof seeds);
}

/* A datum that a task in `process` makes. */
static void made_in(uint64_t process, uint64_t seed, dvm_data_id_t id)
{
    dvm_data_id_t ids[2];
    new_bytes(ids[0], &seed, sizeof seed);
    promise_of(size_of(seed), id);
    dvm_id_copy(ids[1], id);
    CHECK_OK(on_process(process, maker, ids, 2));
}

/* Tiles that wander from process to process, with readers beside. */
static void chain(uint64_t seed)
{
    static dvm_data_id_t answers[STEPS];
    dvm_data_id_t now, last;
    int readers = 0;
    made_in(seed, seed, now);
    for (uint64_t step = 0; step < STEPS; step++) {
        dvm_data_id_t ids[3], read[3];
        dvm_id_copy(ids[1], now);
        CHECK_OK(dvm_data_next(now, &ids[2]));
        seeds_of(seed, seed + step, ids[0]);
        if (step % 3 != 2) {
            CHECK_OK(dvm_data_acquire(now));
            seeds_of(seed, seed + step, read[0]);
            dvm_id_copy(read[1], now);
            promise_of(8, read[2]);
            dvm_id_copy(answers[readers++], read[2]);
            CHECK_OK(on_rank(seed + step * 3, reader, read, 3));
        }
        CHECK_OK(on_rank(seed % 2 ? seed : seed + step * 5, updater, ids, 3));
        dvm_id_copy(now, ids[2]);
    }
    dvm_id_copy(last, now);
    for (int i = 0; i < readers; i++)
        CHECK_NUMBER(3, take_number(answers[i]));
    void *at = bytes_of(last, size_of(seed));
    CHECK(at && has_words(at, size_of(seed), seed + STEPS));
    CHECK_OK(dvm_data_put(last));
    CHECK_OK(dvm_data_relax(last));
}

/* A thread keeps what it has got, whoever frees the datum: with readers before that, beside it, or none. */
static void got_by_a_thread(uint64_t seed, int readers)
{
    dvm_data_id_t id, read[3], ids[2];
    made_in(seed, seed, id);
    for (int i = 0; i < readers; i++) {
        CHECK_OK(dvm_data_acquire(id));
        seeds_of(seed, seed, read[0]);
        dvm_id_copy(read[1], id);
        promise_of(8, read[2]);
        CHECK_OK(on_process(process_index, reader, read, 3));
        if (i == 0)
            CHECK_NUMBER(3, take_number(read[2]));
        else
            CHECK_OK(dvm_data_relax(read[2]));
    }
    void *at = bytes_of(id, size_of(seed));
    new_bytes(ids[0], id, sizeof ids[0]);
    promise_of(8, ids[1]);
    CHECK_OK(on_process(seed, relaxer, ids, 2));
    CHECK_NUMBER(1, take_number(ids[1]));
    for (uint64_t i = 0; i < 8; i++) {
        dvm_data_id_t other;
        made_in(seed, seed + 6 * i, other);
        CHECK_OK(dvm_data_relax(other));
    }
    CHECK(at && has_words(at, size_of(seed), seed));
    CHECK_OK(dvm_data_put(id));
}

/* 2: read in another process's memory; 1: in memory that others can read. */
static uint64_t where_in(uint64_t process, dvm_data_id_t id)
{
    dvm_data_id_t ids[2];
    CHECK_OK(dvm_data_acquire(id));
    dvm_id_copy(ids[0], id);
    promise_of(8, ids[1]);
    CHECK_OK(on_process(process, mapped, ids, 2));
    return take_number(ids[1]);
}

static void lies_where_it_is(int heap)
{
    for (size_t size = LARGEST_ELSEWHERE; size <= LARGEST_ELSEWHERE + 1; size++) {
        dvm_data_id_t id;
        void *at = calloc(1, size);
        int in_heap = heap && size > LARGEST_ELSEWHERE, shared = 0;
        for (uint64_t other = 0; other < process_count; other++)
            shared |= in_heap && other != process_index && by_rings_with(other);
        new_bytes(id, at, size);
        CHECK_NUMBER(shared, where_in(process_index, id));
        for (uint64_t other = 0; other < process_count; other++)
            if (other != process_index)
                CHECK_NUMBER(2 * (in_heap && by_rings_with(other)), where_in(other, id));
        CHECK_OK(dvm_data_relax(id));
        free(at);
    }
}

int main(int argc, char **argv)
{
    int heap = argc < 2 || strcmp(argv[1], "heap") == 0;
    setenv("DVM_PULL", argc < 2 ? "heap" : argv[1], 1);
    several_begin();
    several_register(make, NULL, 2, 1, "make", maker);
    several_register(update, NULL, 3, 1, "update", updater);
    several_register(read_twice, NULL, 3, 1, "read twice", reader);
    several_register(is_mapped, NULL, 2, 1, "is mapped", mapped);
    several_register(relax_it, NULL, 2, 1, "relax", relaxer);
    learn_ranks();
    lies_where_it_is(heap);
    for (uint64_t i = 0; i < CHAINS; i++)
        chain(i * 7 + process_index * 50 + 48);
    for (uint64_t i = 0; i < 12; i++)
        got_by_a_thread(process_index + 1 + i, (int)(i % 3));
    CHECK_OK(dvm_wait());
    return several_end("large");
}
