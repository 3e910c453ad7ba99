/* get and put of far data: outside of tasks, inside of tasks, nested, waiting for what is not published yet. */
#include "several.h"

static dvm_processing_id_t maker, promiser, publisher, getter, not_ready, relaxer;

static int make_promise(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_data_id_t id;
    promise_of(input_number(ids[0]), id);
    return output_bytes(ids[1], id, sizeof id);
}

/* Publishes the promise whose id is in the datum, in the process that made it, after a while. */
static int publish(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *id = bytes_of(ids[0], 16);
    void *at = NULL;
    size_t size;
    check_sleep(20);
    CHECK_OK(dvm_data_write(id, &at, &size));
    fill_pattern(at, size, size);
    CHECK_OK(dvm_data_publish(id));
    return 0;
}

/* Gets a datum that is no argument. */
static int get_other(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *id = bytes_of(ids[0], 16);
    void *at = NULL, *again = NULL;
    size_t size, size_again;
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_OK(dvm_data_get(id, &again, &size_again));
    CHECK(at == again && size == size_again);
    CHECK_OK(dvm_data_put(id));
    uint64_t sum = sum_of(at, size); /* the other get holds */
    CHECK_OK(dvm_data_put(id));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(id));
    CHECK_OK(dvm_data_get(id, &at, &size)); /* until the end of the task */
    CHECK_NUMBER(sum, sum_of(at, size));
    return output_number(ids[1], sum);
}

static int get_unpublished(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *id = bytes_of(ids[0], 16);
    void *at = NULL;
    size_t size;
    CHECK_CODE(DVM_ERR_NOT_READY, dvm_data_get(id, &at, &size));
    return output_number(ids[1], 1);
}

static int relax_it(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_OK(dvm_data_relax(bytes_of(ids[0], 16)));
    return output_number(ids[1], 1);
}

static uint64_t pattern_sum(size_t size)
{
    void *at = malloc(size ? size : 1);
    fill_pattern(at, size, size);
    uint64_t sum = sum_of(at, size);
    free(at);
    return sum;
}

static void made_in(uint64_t process, dvm_processing_id_t how, uint64_t size, dvm_data_id_t id)
{
    dvm_data_id_t ids[2];
    new_bytes(ids[0], &size, sizeof size);
    promise_of(sizeof ids[0], ids[1]);
    CHECK_OK(on_process(process, how, ids, 2));
    take_bytes(ids[1], id, sizeof ids[1]);
    CHECK_NUMBER(process, id[0]);
}

/* Runs a task that gets an id as bytes and gives a number. */
static uint64_t asked_in(uint64_t process, dvm_processing_id_t what, dvm_data_id_t id)
{
    dvm_data_id_t ids[2];
    new_bytes(ids[0], id, sizeof ids[0]);
    promise_of(8, ids[1]);
    CHECK_OK(on_process(process, what, ids, 2));
    return take_number(ids[1]);
}

static void outside(uint64_t process, size_t size)
{
    dvm_data_id_t id;
    void *at = NULL, *again = NULL;
    size_t found = 0;
    made_in(process, maker, size, id);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(dvm_data_get(id, &at, &found));
        CHECK_NUMBER(size, found);
        CHECK_NUMBER(pattern_sum(size), sum_of(at, found));
        CHECK_OK(dvm_data_get(id, &again, &found));
        CHECK(at == again);
        CHECK_OK(dvm_data_put(id));
        CHECK_NUMBER(pattern_sum(size), sum_of(at, found));
        CHECK_OK(dvm_data_put(id));
    }
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(id));
    for (uint64_t other = 0; other < process_count; other++)
        CHECK_NUMBER(pattern_sum(size), asked_in(other, getter, id));
    /* Bytes wait for the last put. */
    CHECK_OK(dvm_data_get(id, &at, &found));
    CHECK_NUMBER(1, asked_in(process, relaxer, id));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(pattern_sum(size), sum_of(at, found));
    CHECK_OK(dvm_data_put(id));
    CHECK_OK(dvm_wait());
    CHECK_CODE(DVM_ERR_ID, dvm_data_get(id, &at, &found));
}

static void unpublished(uint64_t process, size_t size)
{
    dvm_data_id_t id, argument;
    void *at = NULL;
    size_t found = 0;
    made_in(process, promiser, size, id);
    for (uint64_t other = 0; other < process_count; other++)
        CHECK_NUMBER(1, asked_in(other, not_ready, id));
    new_bytes(argument, id, sizeof argument);
    CHECK_OK(on_process(process, publisher, &argument, 1));
    CHECK_OK(dvm_data_get(id, &at, &found)); /* waits */
    CHECK_NUMBER(size, found);
    CHECK_NUMBER(pattern_sum(size), sum_of(at, found));
    CHECK_OK(dvm_data_put(id));
    for (uint64_t other = 0; other < process_count; other++)
        CHECK_NUMBER(pattern_sum(size), asked_in(other, getter, id));
    CHECK_NUMBER(1, asked_in(process, relaxer, id));
    CHECK_OK(dvm_wait());
    CHECK_CODE(DVM_ERR_ID, dvm_data_get(id, &at, &found));
}

static void drive(void)
{
    static const size_t sizes[] = {8, 0, 5000, 300000, 1 << 20};
    learn_ranks();
    several_register(make_datum, NULL, 2, 1, "maker", maker);
    several_register(make_promise, NULL, 2, 1, "promiser", promiser);
    several_register(publish, NULL, 1, 0, "publisher", publisher);
    several_register(get_other, NULL, 2, 1, "getter", getter);
    several_register(get_unpublished, NULL, 2, 1, "getter of the unpublished", not_ready);
    several_register(relax_it, NULL, 2, 1, "relaxer", relaxer);
    for (uint64_t process = 0; process < process_count; process++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            outside(process, sizes[i]);
            unpublished(process, sizes[i]);
        }
    CHECK_OK(dvm_wait());
}

int main(void)
{
    return several_main("getput", drive);
}
