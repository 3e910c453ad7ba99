/* Distributions, plans, redistributions, and strided copies one by one. */
#include "check.h"

#include <dvm_dma.h>
#include <pthread.h>

enum { MOST = 16 };

/* One side: a distribution and its memories, allocated data. */
typedef struct side_t {
    dvm_distribution_t distribution;
    int64_t memories;
    dvm_data_id_t id[MOST];
    char *at[MOST];
    size_t bytes[MOST];
} side_t;

static void allocate(side_t *s, size_t element)
{
    CHECK_OK(dvm_distribution_memories(s->distribution, &s->memories));
    for (int64_t m = 0; m < s->memories; m++) {
        int64_t elements = -1;
        void *at = NULL;
        CHECK_OK(dvm_distribution_size(s->distribution, m, &elements));
        CHECK_OK(dvm_data_allocate((size_t)elements * element, &s->id[m]));
        CHECK_OK(dvm_data_get(s->id[m], &at, &s->bytes[m]));
        CHECK_OK(dvm_data_put(s->id[m]));
        s->at[m] = at;
    }
}

static void release(side_t *s)
{
    for (int64_t m = 0; m < s->memories; m++) {
        CHECK_OK(dvm_data_relax(s->id[m]));
        CHECK_GONE(s->id[m]);
    }
    CHECK_OK(dvm_distribution_free(s->distribution));
    CHECK_CODE(DVM_ERR_ID, dvm_distribution_free(s->distribution));
}

/* A 2-D block-cyclic distribution. */
static dvm_distribution_t cyclic(int64_t rows, int64_t columns, int64_t block, int64_t p, int64_t q)
{
    dvm_distribution_t d = {0};
    CHECK_OK(dvm_distribution_block_cyclic(2, (int64_t[]){rows, columns}, (int64_t[]){block, block}, (int64_t[]){p, q},
                                           &d));
    return d;
}

/* Memory and place of element (i, j) in such a distribution (row-major, dense over the largest extents). */
static char *cyclic_at(const side_t *s, size_t element, int64_t i, int64_t j, int64_t block, int64_t p, int64_t q)
{
    int64_t m = i / block % p * q + j / block % q, strides[2] = {0, 0};
    int64_t row = i / block / p * block + i % block, column = j / block / q * block + j % block;
    CHECK_OK(dvm_distribution_strides(s->distribution, m, strides, 2));
    return s->at[m] + (size_t)(row * strides[0] + column * strides[1]) * element;
}

static unsigned char byte_of(int64_t i, int64_t j, size_t k, int round)
{
    return (unsigned char)(i * 7 + j * 13 + (int64_t)k * 3 + round * 31 + 1);
}

/* Block-cyclic to block-cyclic, many rounds, several arrays of different element sizes in each. */
static void many_rounds(void)
{
    enum { ROWS = 60, COLUMNS = 44, ARRAYS = 3, ROUNDS = 5 };
    const size_t element[ARRAYS] = {8, 3, 64};
    side_t from[ARRAYS], to[ARRAYS];
    dvm_data_id_t source[ARRAYS * MOST], target[ARRAYS * MOST];
    dvm_redistribution_t plan = {0};
    for (int a = 0; a < ARRAYS; a++) {
        from[a].distribution = cyclic(ROWS, COLUMNS, 4, 2, 3);
        to[a].distribution = cyclic(ROWS, COLUMNS, 6, 3, 1);
        CHECK_OK(dvm_distribution_set_order(to[a].distribution, (int[]){1, 0}, 2));
        allocate(&from[a], element[a]);
        allocate(&to[a], element[a]);
        memcpy(source[a * 6], from[a].id, 6 * sizeof *source);
        memcpy(target[a * 3], to[a].id, 3 * sizeof *target);
    }
    CHECK_NUMBER(6, from[0].memories);
    CHECK_NUMBER(3, to[0].memories);
    CHECK_OK(dvm_redistribution_plan(from[0].distribution, to[0].distribution, 0, &plan));
    for (int round = 0; round < ROUNDS; round++) {
        for (int a = 0; a < ARRAYS; a++)
            for (int64_t i = 0; i < ROWS; i++)
                for (int64_t j = 0; j < COLUMNS; j++)
                    for (size_t k = 0; k < element[a]; k++)
                        cyclic_at(&from[a], element[a], i, j, 4, 2, 3)[k] = (char)byte_of(i, j, k, round + a);
        CHECK_OK(dvm_redistribute(plan, ARRAYS, element, source, target));
        int wrong = 0;
        for (int a = 0; a < ARRAYS; a++)
            for (int64_t i = 0; i < ROWS; i++)
                for (int64_t j = 0; j < COLUMNS; j++)
                    for (size_t k = 0; k < element[a]; k++)
                        wrong += cyclic_at(&to[a], element[a], i, j, 6, 3, 1)[k] != (char)byte_of(i, j, k, round + a);
        CHECK_NUMBER(0, wrong);
    }
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_CODE(DVM_ERR_ID, dvm_redistribute(plan, ARRAYS, element, source, target));
    for (int a = 0; a < ARRAYS; a++) {
        release(&from[a]);
        release(&to[a]);
    }
}

/* The figures, the messages and the descriptors of a plan agree. */
static void figures(void)
{
    dvm_distribution_t a = cyclic(24, 24, 4, 2, 2), b = cyclic(24, 24, 6, 2, 2);
    dvm_redistribution_t plan = {0};
    dvm_redistribution_figures_t f = {.size = sizeof f};
    int64_t sum = 0, pairs = 0, moved = 0, n = 0, numbers[64];
    CHECK_OK(dvm_redistribution_plan(a, b, DVM_REDISTRIBUTION_BALANCE, &plan));
    CHECK_OK(dvm_redistribution_figures(plan, 16, &f));
    CHECK_NUMBER(24 * 24, f.elements);
    CHECK_NUMBER(24 * 24 * 16, f.bytes);
    CHECK_NUMBER(4, f.source_memories);
    CHECK_NUMBER(4, f.target_memories);
    CHECK_NUMBER(0, f.missing);
    CHECK_NUMBER(f.least_load, f.largest_load);
    for (int64_t s = 0; s < 4; s++)
        for (int64_t t = 0; t < 4; t++) {
            CHECK_OK(dvm_redistribution_message(plan, s, t, &n));
            sum += n;
            pairs += n > 0;
            CHECK(n * 16 <= f.largest_message);
        }
    CHECK_NUMBER(f.elements, sum);
    CHECK_NUMBER(f.messages, pairs);
    for (int64_t k = 0; k < f.descriptors; k++) {
        CHECK_OK(dvm_redistribution_descriptor(plan, k, numbers, 64));
        int64_t volume = 1;
        for (int64_t l = 0; l < numbers[4]; l++)
            volume *= numbers[5 + 3 * l];
        moved += volume;
        if (numbers[4] > 0)
            CHECK_CODE(DVM_ERR_SIZE, dvm_redistribution_descriptor(plan, k, numbers, 5));
    }
    CHECK_NUMBER(f.elements, moved);
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_descriptor(plan, f.descriptors, numbers, 64));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_message(plan, 4, 0, &n));
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(a));
    CHECK_OK(dvm_distribution_free(b));
}

/* The same distribution from several constructors. */
static void makers(void)
{
    dvm_distribution_t made = {0}, parsed = {0}, json = {0}, same[3];
    int64_t n = 0, extents[2], strides[2];
    CHECK_OK(dvm_distribution_make(1, NULL, (int64_t[]){10}, 2, (int[]){0, 0}, (int[]){1, 0}, (int64_t[]){4, 1},
                                   (int64_t[]){0, 0}, (int64_t[]){2, 3}, &made));
    CHECK_OK(dvm_distribution_parse("t = 0; + 4*p arch proc 0 .. P - 1; + 1*l data cell 0 .. min(3, N - 1 - 4*p)", "N=10, P=3",
                                    &parsed));
    CHECK_OK(dvm_distribution_parse("{\"dims\": [{\"offset\": 0, \"vars\": ["
                                    "{\"name\": \"p\", \"coef\": 4, \"lo\": 0, \"hi\": 2, \"kind\": \"arch\", \"level\": \"proc\"},"
                                    "{\"name\": \"l\", \"coef\": 1, \"lo\": 0, \"hi\": [3, {\"const\": 9, \"coef\": {\"p\": -4}}],"
                                    " \"kind\": \"data\", \"level\": \"cell\"}]}]}",
                                    NULL, &json));
    same[0] = made, same[1] = parsed, same[2] = json;
    for (int k = 0; k < 3; k++) {
        CHECK_OK(dvm_distribution_memories(same[k], &n));
        CHECK_NUMBER(3, n);
        CHECK_OK(dvm_distribution_size(same[k], 2, &n));
        CHECK_NUMBER(2, n);
        CHECK_OK(dvm_distribution_extents(same[k], 0, extents, 1));
        CHECK_NUMBER(4, extents[0]);
        CHECK_CODE(DVM_ERR_SIZE, dvm_distribution_extents(same[k], 0, extents, 2));
        CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_size(same[k], 3, &n));
        CHECK_OK(dvm_distribution_free(same[k]));
    }
    /* A local array beyond 2^63 elements is refused, also where its room alone makes it as large. */
    const int64_t wide = (int64_t)1 << 32, most = ((int64_t)1 << 62) - 1;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_halo(3, (int64_t[]){1, 1, 1}, (int64_t[]){1, 1, 1}, (int64_t[]){7, 7, 5},
                                                       (int64_t[]){wide, wide, wide}, &made));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_halo(2, (int64_t[]){16, 5}, (int64_t[]){1, 3}, (int64_t[]){most, 1},
                                                       (int64_t[]){5, 4}, &made));
    /* A halo keeps its space at the ends of the array. */
    CHECK_OK(dvm_distribution_halo(2, (int64_t[]){10, 6}, (int64_t[]){2, 1}, (int64_t[]){2, 1}, (int64_t[]){1, 0}, &made));
    CHECK_OK(dvm_distribution_extents(made, 0, extents, 2));
    CHECK_NUMBER(8, extents[0]);
    CHECK_NUMBER(7, extents[1]);
    CHECK_OK(dvm_distribution_strides(made, 1, strides, 2));
    CHECK_NUMBER(7, strides[0]);
    CHECK_NUMBER(1, strides[1]);
    CHECK_OK(dvm_distribution_free(made));
    /* Descriptors of both widths are one. */
    CHECK_OK(dvm_distribution_scalapack((int[]){1, 0, 10, 7, 3, 2, 1, 0, 9}, 2, 2, &made));
    CHECK_OK(dvm_distribution_scalapack_64((int64_t[]){1, 0, 10, 7, 3, 2, 1, 0, 9}, 2, 2, &parsed));
    for (int64_t m = 0; m < 4; m++) {
        int64_t other = -1;
        CHECK_OK(dvm_distribution_size(made, m, &n));
        CHECK_OK(dvm_distribution_size(parsed, m, &other));
        CHECK_NUMBER(n, other);
        CHECK_OK(dvm_distribution_strides(made, m, strides, 2));
        CHECK_NUMBER(9, strides[1]);
    }
    CHECK_OK(dvm_distribution_free(made));
    CHECK_OK(dvm_distribution_free(parsed));
}

/* The error names the mistake, and nothing is made. */
static void refusals(void)
{
    dvm_distribution_t d = {77};
    CHECK_CODE(DVM_ERR_ARGUMENT,
               dvm_distribution_parse("t = 0; + 1*a data cell 0 .. b; + 1*b data cell 0 .. a", NULL, &d));
    CHECK_MENTIONS("circle");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("t = 0; + 1*a data cell 0 .. N", NULL, &d));
    CHECK_MENTIONS("unknown name 'N'");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("t = 0; + 4611686018427387904*a data cell 0 .. 9", NULL, &d));
    CHECK_MENTIONS("2^62");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("t = 0; + 1*a disk cell 0 .. 9", NULL, &d));
    CHECK_MENTIONS("line 2");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("t = N", "N", &d));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("t = N", "N=1, N=2", &d));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("{\"dims\": 3}", "", &d));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_parse("", "", &d));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_scalapack((int[]){1, 0, 10, 7, 3, 2, 0, 0, 5}, 2, 2, &d));
    CHECK_MENTIONS("LLD_");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_scalapack((int[]){2, 0, 10, 7, 3, 2, 0, 0, 9}, 2, 2, &d));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_scalapack((int[]){1, 0, 10, 7, 3, 2, 2, 0, 9}, 2, 2, &d));
    CHECK_NUMBER(77, d.number);

    dvm_distribution_t one = {0}, two = cyclic(8, 8, 2, 2, 2);
    dvm_redistribution_t plan = {77};
    CHECK_OK(dvm_distribution_parse("t = 0; + 1*a data cell 0 .. 63", NULL, &one));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_plan(one, two, 0, &plan));
    CHECK_MENTIONS("dimensions");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_plan(two, two, 4, &plan));
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_redistribution_plan(two, two, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
    CHECK_NUMBER(77, plan.number);

    /* An empty range is no mistake: there are no elements. */
    CHECK_OK(dvm_distribution_parse("t = 0; + 1*a data cell 5 .. 4", NULL, &d));
    dvm_redistribution_figures_t f = {.size = sizeof f};
    CHECK_OK(dvm_redistribution_plan(one, d, 0, &plan));
    CHECK_OK(dvm_redistribution_figures(plan, 8, &f));
    CHECK_NUMBER(0, f.elements);
    CHECK_NUMBER(1, f.target_memories);
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_redistribution_plan(d, one, 0, &plan));
    CHECK_OK(dvm_redistribution_figures(plan, 8, &f));
    CHECK_NUMBER(64, f.missing);
    f.size = 8;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_figures(plan, 8, &f));
    f.size = sizeof f;
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribution_figures(plan, 65, &f));
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(d));

    /* Strides that would put two elements into one place. */
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_strides(two, DVM_DISTRIBUTION_EVERY_MEMORY, (int64_t[]){1, 3}, 2));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_strides(two, 4, (int64_t[]){4, 1}, 2));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_order(two, (int[]){0, 0}, 2));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_distribution_set_order(two, (int[]){0, -1}, 2));
    CHECK_OK(dvm_distribution_free(one));
    CHECK_OK(dvm_distribution_free(two));
}

/* A matrix of numbers i * 100 + j on `from`, in the layout of cyclic_at. */
static void fill(side_t *s, int64_t n, int64_t block, int64_t p, int64_t q)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t value = i * 100 + j + 1;
            memcpy(cyclic_at(s, sizeof value, i, j, block, p, q), &value, sizeof value);
        }
}

/* Invalid memories are refused before any reference is taken or byte written. */
static void wrong_memories(void)
{
    side_t from = {.distribution = cyclic(8, 8, 2, 2, 1)}, to = {.distribution = cyclic(8, 8, 4, 1, 2)};
    dvm_redistribution_t plan = {0};
    const size_t element = 8;
    dvm_data_id_t small, ids[2], whole, done = {5, 5};
    allocate(&from, element);
    allocate(&to, element);
    CHECK_OK(dvm_redistribution_plan(from.distribution, to.distribution, 0, &plan));
    CHECK_OK(dvm_data_allocate(100, &small));

    memcpy(ids, to.id, sizeof ids);
    memcpy(ids[1], small, sizeof small);
    CHECK_CODE(DVM_ERR_SIZE, dvm_redistribute(plan, 1, &element, from.id, ids));
    CHECK_MENTIONS("target memory 1");
    CHECK_CODE(DVM_ERR_SIZE, dvm_redistribute_start(plan, 1, &element, ids, to.id, &done));
    memset(ids[1], 0, sizeof ids[1]);
    CHECK_CODE(DVM_ERR_ID, dvm_redistribute(plan, 1, &element, from.id, ids));
    /* In place, and one target for two memories. */
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &element, from.id, from.id));
    memcpy(ids[1], ids[0], sizeof ids[0]);
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &element, from.id, ids));
    /* Two data, one memory. */
    static char memory[1024];
    CHECK_OK(dvm_data_register(memory, 600, NULL, &ids[0]));
    CHECK_OK(dvm_data_register(memory + 599, 400, NULL, &ids[1]));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &element, from.id, ids));
    CHECK_MENTIONS("share memory");
    CHECK_OK(dvm_data_relax(ids[0]));
    CHECK_OK(dvm_data_relax(ids[1]));
    /* Sources may be one. */
    CHECK_OK(dvm_data_allocate(512, &whole));
    memcpy(ids[0], whole, sizeof whole);
    memcpy(ids[1], whole, sizeof whole);
    CHECK_OK(dvm_redistribute(plan, 1, &element, ids, to.id));
    CHECK_OK(dvm_data_relax(whole));
    CHECK_CODE(DVM_ERR_ID, dvm_redistribute(plan, 1, &element, ids, to.id));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &(size_t){0}, from.id, to.id));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, 1, &(size_t){65}, from.id, to.id));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_redistribute(plan, -1, &element, from.id, to.id));
    CHECK_OK(dvm_redistribute(plan, 0, NULL, NULL, NULL));
    CHECK_NUMBER(5, done[0]);
    CHECK_OK(dvm_data_relax(small));
    CHECK_OK(dvm_redistribution_free(plan));
    release(&from);
    release(&to);
}

static int set_all(void *context, dvm_data_id_t *ids, int count)
{
    void *at = NULL;
    size_t size = 0;
    (void)count;
    check_sleep(5);
    if (context != NULL)
        return 9;
    if (dvm_data_get(ids[0], &at, &size) != DVM_SUCCESS)
        return 1;
    for (size_t k = 0; k < size / sizeof(int64_t); k++)
        ((int64_t *)at)[k] = (int64_t)k + 1;
    return 0;
}

static int64_t seen;

static int read_all(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    for (int k = 1; k < count; k++) {
        void *at = NULL;
        size_t size = 0;
        if (dvm_data_get(ids[k], &at, &size) != DVM_SUCCESS)
            return 1;
        for (size_t n = 0; n < size / sizeof(int64_t); n++)
            seen += ((int64_t *)at)[n];
    }
    return 0;
}

/* Sources that tasks have yet to produce, and targets that other tasks read: all by data flow. */
static void data_flow(int poison)
{
    dvm_distribution_t one = {0}, rows = {0};
    dvm_redistribution_t plan = {0};
    dvm_processing_id_t produce, consume;
    dvm_data_id_t source, target[3], done, ids[3];
    const size_t element = sizeof(int64_t);
    CHECK_OK(dvm_distribution_block_cyclic(1, (int64_t[]){30}, (int64_t[]){0}, (int64_t[]){1}, &one));
    CHECK_OK(dvm_distribution_block_cyclic(1, (int64_t[]){30}, (int64_t[]){1}, (int64_t[]){2}, &rows));
    CHECK_OK(dvm_redistribution_plan(one, rows, 0, &plan));
    CHECK_OK(dvm_processing_register_v(set_all, poison ? &seen : NULL, 1, "set all", produce));
    CHECK_OK(dvm_processing_access(produce, (int[]){DVM_OUT}));
    CHECK_OK(dvm_processing_register_v(read_all, NULL, 3, "read all", consume));

    CHECK_OK(dvm_data_promise(30 * element, &source));
    CHECK_OK(dvm_data_promise(15 * element, &target[0]));
    CHECK_OK(dvm_data_promise(15 * element, &target[1]));
    CHECK_OK(dvm_redistribute_start(plan, 1, &element, &source, target, &done));
    memcpy(ids[0], done, sizeof done);
    memcpy(ids[1], target, 2 * sizeof done);
    seen = 0;
    CHECK_OK(dvm_sched_near(consume, ids, 3));
    CHECK_OK(dvm_sched_near(produce, &source, 1));
    CHECK_OK(dvm_data_relax(source));
    if (poison) {
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        CHECK_NUMBER(0, seen);
        CHECK_GONE(done);
        /* A waiting call: the source will never be published. */
        CHECK_OK(dvm_data_promise(30 * element, &source));
        CHECK_OK(dvm_data_promise(15 * element, &target[0]));
        CHECK_OK(dvm_data_promise(15 * element, &target[1]));
        CHECK_OK(dvm_sched_near(produce, &source, 1));
        CHECK_CODE(DVM_ERR_POISONED, dvm_redistribute(plan, 1, &element, &source, target));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        CHECK_OK(dvm_data_relax(source));
        CHECK_OK(dvm_data_relax(target[0]));
        CHECK_OK(dvm_data_relax(target[1]));
    } else {
        CHECK_OK(dvm_wait());
        CHECK_NUMBER(30 * 31 / 2, seen);
        CHECK_GONE(target[0]); /* the reader took the last references */
        CHECK_GONE(done);
    }
    CHECK_OK(dvm_processing_unregister(&produce));
    CHECK_OK(dvm_processing_unregister(&consume));
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(one));
    CHECK_OK(dvm_distribution_free(rows));
}

/* A target that is a datum's next begins as its copy; a target with a producer is refused. */
static void carried_on(void)
{
    dvm_distribution_t half = {0}, all = {0};
    dvm_redistribution_t plan = {0};
    const size_t element = sizeof(int64_t);
    dvm_data_id_t source, base, next, written;
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_distribution_parse("t = 0; + 2*a data cell 0 .. 4", NULL, &half));
    CHECK_OK(dvm_distribution_parse("t = 0; + 1*a data cell 0 .. 9", NULL, &all));
    CHECK_OK(dvm_redistribution_plan(half, all, 0, &plan));
    CHECK_OK(dvm_data_allocate(5 * element, &source));
    CHECK_OK(dvm_data_allocate(10 * element, &base));
    CHECK_OK(dvm_data_get(source, &at, &size));
    for (int64_t k = 0; k < 5; k++)
        ((int64_t *)at)[k] = 10 * k;
    CHECK_OK(dvm_data_put(source));
    CHECK_OK(dvm_data_get(base, &at, &size));
    for (int64_t k = 0; k < 10; k++)
        ((int64_t *)at)[k] = -1;
    CHECK_OK(dvm_data_put(base));
    CHECK_OK(dvm_data_next(base, &next));
    CHECK_OK(dvm_redistribute(plan, 1, &element, &source, &next));
    CHECK_OK(dvm_data_get(next, &at, &size));
    for (int64_t k = 0; k < 10; k++)
        CHECK_NUMBER(k % 2 ? -1 : 5 * k, ((int64_t *)at)[k]);
    CHECK_OK(dvm_data_put(next));
    CHECK_OK(dvm_data_get(base, &at, &size));
    for (int64_t k = 0; k < 10; k++)
        CHECK_NUMBER(-1, ((int64_t *)at)[k]); /* the base stays */
    CHECK_OK(dvm_data_put(base));

    CHECK_OK(dvm_data_promise(10 * element, &written));
    CHECK_OK(dvm_data_write(written, &at, &size));
    CHECK_CODE(DVM_ERR_STATE, dvm_redistribute(plan, 1, &element, &source, &written));
    CHECK_OK(dvm_data_publish(written));
    CHECK_OK(dvm_redistribute(plan, 1, &element, &source, &written));
    CHECK_OK(dvm_data_relax(written));
    CHECK_OK(dvm_data_relax(next));
    CHECK_OK(dvm_data_relax(base));
    CHECK_OK(dvm_data_relax(source));
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(half));
    CHECK_OK(dvm_distribution_free(all));
}

typedef struct inside_t {
    dvm_redistribution_t plan;
    side_t *from, *to;
    dvm_data_id_t done;
} inside_t;

static int in_task(void *context, dvm_data_id_t *ids, int count)
{
    inside_t *c = context;
    const size_t element = 8;
    (void)ids, (void)count;
    CHECK_CODE(DVM_ERR_IN_TASK, dvm_redistribute(c->plan, 1, &element, c->from->id, c->to->id));
    CHECK_OK(dvm_redistribute_start(c->plan, 1, &element, c->from->id, c->to->id, &c->done));
    return 0;
}

/* A task starts a redistribution that others wait for; threads redistribute different matrices at the same time. */
static void *in_thread(void *unused)
{
    const size_t element = 8;
    dvm_redistribution_t plan = {0};
    (void)unused;
    for (int round = 0; round < 10; round++) {
        side_t from = {.distribution = cyclic(20, 20, 3, 2, 2)}, to = {.distribution = cyclic(20, 20, 20, 1, 1)};
        allocate(&from, element);
        allocate(&to, element);
        fill(&from, 20, 3, 2, 2);
        CHECK_OK(dvm_redistribution_plan(from.distribution, to.distribution, 0, &plan));
        CHECK_OK(dvm_redistribute(plan, 1, &element, from.id, to.id));
        CHECK_OK(dvm_redistribution_free(plan));
        for (int64_t k = 0; k < 400; k++)
            CHECK_NUMBER(k / 20 * 100 + k % 20 + 1, ((int64_t *)to.at[0])[k]);
        release(&from);
        release(&to);
    }
    return NULL;
}

static void tasks_and_threads(void)
{
    const size_t element = 8;
    side_t from = {.distribution = cyclic(20, 20, 3, 2, 2)}, to = {.distribution = cyclic(20, 20, 20, 1, 1)};
    inside_t c = {.from = &from, .to = &to};
    dvm_processing_id_t p;
    void *at = NULL;
    size_t size = 1;
    allocate(&from, element);
    allocate(&to, element);
    fill(&from, 20, 3, 2, 2);
    CHECK_OK(dvm_redistribution_plan(from.distribution, to.distribution, 0, &c.plan));
    CHECK_OK(dvm_processing_register_v(in_task, &c, 0, "starts", p));
    CHECK_OK(dvm_sched_near(p, NULL, 0));
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_data_get(c.done, &at, &size));
    CHECK_NUMBER(0, size);
    CHECK_OK(dvm_data_put(c.done));
    CHECK_OK(dvm_data_relax(c.done));
    for (int64_t k = 0; k < 400; k++)
        CHECK_NUMBER(k / 20 * 100 + k % 20 + 1, ((int64_t *)to.at[0])[k]);
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_OK(dvm_redistribution_free(c.plan));
    release(&from);
    release(&to);

    pthread_t threads[3];
    for (int k = 0; k < 3; k++)
        pthread_create(&threads[k], NULL, in_thread, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
}

/* Large enough that all workers take part. */
static void large(void)
{
    enum { N = 1024 };
    const size_t element = 8;
    side_t from = {.distribution = cyclic(N, N, 32, 2, 2)}, to = {.distribution = cyclic(N, N, N, 1, 1)};
    dvm_redistribution_t plan = {0};
    CHECK_OK(dvm_distribution_set_order(to.distribution, (int[]){1, 0}, 2));
    allocate(&from, element);
    allocate(&to, element);
    for (int64_t m = 0; m < 4; m++)
        for (int64_t k = 0; k < N / 2 * N / 2; k++) {
            int64_t i = k / (N / 2), j = k % (N / 2);
            ((int64_t *)from.at[m])[k] = ((i / 32 * 2 + m / 2) * 32 + i % 32) * N + (j / 32 * 2 + m % 2) * 32 + j % 32;
        }
    CHECK_OK(dvm_redistribution_plan(from.distribution, to.distribution, 0, &plan));
    for (int round = 0; round < 3; round++) {
        int64_t wrong = 0;
        memset(to.at[0], 0xff, to.bytes[0]);
        CHECK_OK(dvm_redistribute(plan, 1, &element, from.id, to.id));
        for (int64_t k = 0; k < N * N; k++)
            wrong += ((int64_t *)to.at[0])[k] != k % N * N + k / N;
        CHECK_NUMBER(0, wrong);
    }
    CHECK_OK(dvm_redistribution_free(plan));
    release(&from);
    release(&to);
}

/* ----- copies one by one ----- */

static int dma_in_task(void *context, dvm_data_id_t *ids, int count)
{
    dvm_dma_t dma = *(dvm_dma_t *)context;
    (void)ids, (void)count;
    DMA_SEND(0, 0, 4, 2);
    DMA_RECEIVE(1, 9, 4, -1);
    CHECK_NUMBER(0, DMA_WAIT());
    return 0;
}

static void copies(void)
{
    dvm_data_id_t source[2], target[2], promise;
    int32_t *from = NULL, *to = NULL;
    void *at = NULL;
    size_t size = 0;
    dvm_dma_t dma = {0};
    dvm_processing_id_t p;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(dvm_data_allocate(40 * sizeof *from, &source[k]));
        CHECK_OK(dvm_data_allocate(10 * sizeof *from, &target[k]));
    }
    CHECK_OK(dvm_data_get(source[0], &at, &size));
    from = at;
    CHECK_OK(dvm_data_get(target[1], &at, &size));
    to = at;
    for (int32_t k = 0; k < 40; k++)
        from[k] = k + 1;

    CHECK_OK(dvm_data_promise(40, &promise));
    CHECK_CODE(DVM_ERR_NOT_READY, dvm_dma_open(&dma, 4, source, 2, &promise, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_open(&dma, 65, source, 2, target, 2));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_open(&dma, 4, source, -1, target, 2));
    CHECK_NUMBER(0, dma.number);
    CHECK_OK(dvm_dma_open(&dma, sizeof *from, source, 2, target, 2));

    DMA_SEND(0, 3, 5, 4);
    DMA_RECEIVE(1, 0, 5, 2);
    DMA_SEND_2D(0, 0, 2, 1, 2, 10);
    DMA_RECEIVE_2D(1, 1, 2, 2, 2, 4);
    CHECK_NUMBER(0, DMA_WAIT());
    const int32_t expected[10] = {4, 1, 8, 2, 12, 11, 16, 12, 20, 0};
    CHECK(memcmp(to, expected, sizeof expected) == 0);
    DMA_SEND_3D(0, 0, 2, 1, 2, 2, 2, 4);
    DMA_RECEIVE_3D(1, 0, 2, 4, 2, 2, 2, 1);
    CHECK_NUMBER(0, DMA_WAIT());
    const int32_t turned[8] = {1, 5, 3, 7, 2, 6, 4, 8};
    CHECK(memcmp(to, turned, sizeof turned) == 0);

    CHECK_OK(dvm_processing_register_v(dma_in_task, &dma, 0, "copies", p));
    CHECK_OK(dvm_sched_near(p, NULL, 0));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1, to[9]);
    CHECK_NUMBER(7, to[6]);
    CHECK_OK(dvm_processing_unregister(&p));

    /* Each mistake returns its code at once, and again from the next wait, which clears it. */
    CHECK_CODE(DVM_ERR_STATE, dvm_dma_receive(dma, 0, 0, 1, 1));
    CHECK_CODE(DVM_ERR_STATE, dvm_dma_wait(dma));
    CHECK_OK(dvm_dma_wait(dma));
    CHECK_OK(dvm_dma_send(dma, 0, 0, 2, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_receive(dma, 0, 0, 3, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_wait(dma));
    CHECK_OK(dvm_dma_send(dma, 0, 0, 2, 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_receive(dma, 0, 9, 2, 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_wait(dma));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_send(dma, 0, 0, 2, -1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_receive(dma, 0, 0, 2, 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_wait(dma));
    CHECK_OK(dvm_dma_send(dma, 0, 0, 2, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_receive(dma, 0, 0, 2, 0));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_wait(dma));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_send(dma, 2, 0, 1, 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_dma_wait(dma));
    CHECK_OK(dvm_dma_send(dma, 0, 0, 1, 1));
    CHECK_CODE(DVM_ERR_STATE, dvm_dma_send(dma, 0, 0, 1, 1));
    CHECK_CODE(DVM_ERR_STATE, dvm_dma_wait(dma));
    CHECK_OK(dvm_dma_send(dma, 0, 0, 1, 1));
    CHECK_CODE(DVM_ERR_STATE, dvm_dma_wait(dma));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_send(dma, 0, INT64_MAX, INT64_MAX, INT64_MAX));
    CHECK_CODE(DVM_ERR_SIZE, dvm_dma_wait(dma));

    CHECK_OK(dvm_dma_close(dma));

    /* Many small copies, each to its own place: several batches are in flight. */
    enum { MANY = 20000 };
    dvm_data_id_t many;
    CHECK_OK(dvm_data_allocate(MANY * sizeof *to, &many));
    CHECK_OK(dvm_dma_open(&dma, sizeof *from, source, 2, &many, 1));
    for (int32_t k = 0; k < MANY; k++) {
        DMA_SEND(0, k % 40, 1, 1);
        DMA_RECEIVE(0, MANY - 1 - k, 1, 1);
    }
    CHECK_OK(dvm_dma_close(dma));
    CHECK_OK(dvm_data_get(many, &at, &size));
    for (int32_t k = 0; k < MANY; k++)
        CHECK_NUMBER(k % 40 + 1, ((int32_t *)at)[MANY - 1 - k]);
    CHECK_OK(dvm_data_put(many));
    CHECK_OK(dvm_data_relax(many));
    CHECK_CODE(DVM_ERR_ID, dvm_dma_close(dma));
    CHECK_CODE(DVM_ERR_ID, dvm_dma_send(dma, 0, 0, 1, 1));

    /* A freed datum is refused. */
    CHECK_OK(dvm_dma_open(&dma, 4, source, 2, target, 2));
    CHECK_OK(dvm_data_relax(source[1]));
    DMA_SEND(1, 0, 1, 1);
    DMA_RECEIVE(0, 0, 1, 1);
    CHECK_NUMBER(DVM_ERR_ID, DMA_WAIT());
    CHECK_OK(dvm_dma_close(dma));

    CHECK_OK(dvm_data_put(source[0]));
    CHECK_OK(dvm_data_put(target[1]));
    CHECK_OK(dvm_data_relax(source[0]));
    CHECK_OK(dvm_data_relax(target[0]));
    CHECK_OK(dvm_data_relax(target[1]));
    CHECK_OK(dvm_data_relax(promise));
}

/* A round in progress when the program ends is finished first; its numbers outlive the machine. */
static void finalize_with_rounds(void)
{
    const size_t element = 8;
    side_t from = {.distribution = cyclic(200, 200, 3, 2, 2)}, to = {.distribution = cyclic(200, 200, 200, 1, 1)};
    dvm_redistribution_t plan = {0};
    dvm_data_id_t done;
    CHECK_OK(dvm_init());
    static int64_t target[200 * 200];
    allocate(&from, element);
    fill(&from, 200, 3, 2, 2);
    CHECK_OK(dvm_data_register(target, sizeof target, NULL, &to.id[0]));
    CHECK_OK(dvm_redistribution_plan(from.distribution, to.distribution, 0, &plan));
    CHECK_OK(dvm_redistribute_start(plan, 1, &element, from.id, to.id, &done));
    CHECK_OK(dvm_finalize());
    CHECK_NUMBER(1, target[0]);
    CHECK_NUMBER(199 * 100 + 199 + 1, target[200 * 200 - 1]);
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_redistribute(plan, 1, &element, from.id, to.id));
    CHECK_OK(dvm_init());
    CHECK_CODE(DVM_ERR_ID, dvm_redistribute(plan, 1, &element, from.id, to.id));
    CHECK_OK(dvm_finalize());
    CHECK_OK(dvm_redistribution_free(plan));
    CHECK_OK(dvm_distribution_free(from.distribution));
    CHECK_OK(dvm_distribution_free(to.distribution));
}

int main(void)
{
    makers();
    refusals();
    figures();
    CHECK_OK(dvm_init());
    many_rounds();
    wrong_memories();
    data_flow(0);
    data_flow(1);
    carried_on();
    tasks_and_threads();
    large();
    copies();
    CHECK_OK(dvm_finalize());
    finalize_with_rounds();
    return check_end("redistribution");
}
