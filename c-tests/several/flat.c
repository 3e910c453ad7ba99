/* Memory stays flat: tasks on other processes, whose inputs are sent or fetched, whose outputs are promises here, fetched and
 * released; data that are made elsewhere; references taken and dropped elsewhere. `flat TASKS`; DVM_TEST_FLAT: so many instead.
 *
 * arguments: 20000
 */
#include "several.h"

enum { BATCH = 500, SMALL = 64, LARGE = 20000 };

static dvm_processing_id_t copy, make, memory, hold;

static int do_copy(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *from, *to;
    size_t size, room;
    CHECK_OK(dvm_data_get(ids[0], &from, &size));
    CHECK_OK(dvm_data_get(ids[1], &to, &room));
    if (from && to && room <= size)
        memcpy(to, from, room);
    return 0;
}

static int do_make(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_data_id_t id;
    new_number(id, 5);
    return output_bytes(ids[0], id, sizeof id);
}

/* Takes a reference of a far datum and drops it. */
static int do_hold(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    CHECK_OK(dvm_data_acquire(ids[0]));
    CHECK_OK(dvm_data_relax(ids[0]));
    return 0;
}

/* The KiB of memory that the process has. */
static uint64_t resident(void)
{
    char line[200];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %lu kB", &kib);
    if (file)
        fclose(file);
    CHECK(kib > 0);
    return kib;
}

static int do_memory(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[0], resident());
}

static uint64_t resident_in(uint64_t process)
{
    dvm_data_id_t id;
    promise_of(sizeof(uint64_t), id);
    CHECK_OK(on_process(process, memory, &id, 1));
    return take_number(id);
}

/* So many tasks on another process. */
static void batch(uint64_t process, int tasks, const char *bytes)
{
    static dvm_data_id_t in[BATCH], out[BATCH];
    for (int i = 0; i < tasks; i++) {
        size_t size = i % 16 == 0 ? LARGE : SMALL;
        dvm_data_id_t ids[2];
        promise_of(i % 32 == 1 ? LARGE / 2 : SMALL, out[i]);
        if (i % 8 == 7)
            dvm_id_copy(in[i], out[i - 1]); /* what another task there has made */
        else
            new_bytes(in[i], bytes, size);
        dvm_id_copy(ids[0], in[i]);
        dvm_id_copy(ids[1], out[i]);
        if (i % 8 == 7)
            CHECK_OK(dvm_data_acquire(in[i]));
        if (i % 4 == 0) {
            CHECK_OK(dvm_data_acquire(in[i]));
            CHECK_OK(on_process(process, hold, ids, 1));
        }
        CHECK_OK(on_process(process, copy, ids, 2));
    }
    for (int i = 0; i < tasks; i++) {
        void *at;
        size_t size;
        CHECK_OK(dvm_data_get(out[i], &at, &size));
        CHECK_OK(dvm_data_put(out[i]));
    }
    for (int i = 0; i < tasks; i++)
        CHECK_OK(dvm_data_relax(out[i]));
    /* A datum that is made there, read here and there, and freed from here. */
    dvm_data_id_t told, made, ids[2];
    promise_of(sizeof made, told);
    CHECK_OK(on_process(process, make, &told, 1));
    if (take_bytes(told, made, sizeof made)) {
        promise_of(sizeof(uint64_t), ids[1]);
        dvm_id_copy(ids[0], made);
        CHECK_OK(on_process(0, copy, ids, 2));
        CHECK_NUMBER(5, take_number(ids[1]));
    }
}

int main(int count, char **arguments)
{
    const char *setting = getenv("DVM_TEST_FLAT");
    uint64_t tasks = (uint64_t)atoll(setting ? setting : count > 1 ? arguments[1] : "20000"), done = 0;
    uint64_t early[2] = {0, 0};
    /* Copies stay until there is no room for more, whether or not their data still exist: room that is full after few batches. */
    setenv("DVM_CACHE", "1", 1);
    several_begin();
    several_register(do_copy, NULL, 2, 1, "copy", copy);
    several_register(do_make, NULL, 1, 1, "make", make);
    several_register(do_hold, NULL, 1, 0, "hold", hold);
    several_register(do_memory, NULL, 1, 1, "memory", memory);
    if (process_index != 0) {
        CHECK_OK(dvm_serve());
        return several_end("flat");
    }
    learn_ranks();
    char *bytes = calloc(1, LARGE);
    uint64_t other = process_count - 1;
    while (done < tasks) {
        batch(other, BATCH, bytes);
        done += BATCH;
        if (early[0] == 0 && done >= tasks / 10) {
            early[0] = resident_in(0);
            early[1] = resident_in(other);
        }
    }
    for (int i = 0; i < 2; i++) {
        uint64_t late = resident_in(i ? other : 0);
        fprintf(stderr, "process %d: %" PRIu64 " KiB after a tenth of %" PRIu64 " tasks, %" PRIu64 " at the end\n",
                i ? (int)other : 0, early[i], tasks, late);
        /* What the allocator of the C library keeps, and what grows with the number of waits, is less. */
        CHECK(late <= early[i] + early[i] / 4 + 4096);
    }
    free(bytes);
    return several_end("flat");
}
