/* What programs of several processes share. All processes run the same main; any number of processes, also one. */
#ifndef DVM_SEVERAL_H
#define DVM_SEVERAL_H

#include "../check.h"

/* The calling process, the processes, all PUs of the job. */
static uint64_t process_index, process_count, rank_count;

/* The process of each PU, and a PU of each process. learn_ranks() fills them in. */
static uint64_t *rank_owner;
static uint64_t *rank_of_process;

/* Whether this process will be number 0, before libdvm knows: what dvmrun and the MPIs tell a process. */
static inline int starts_first(void)
{
    const char *names[] = {"DVM_PROCESS", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return strcmp(getenv(names[i]), "0") == 0;
    return 1;
}

/* Whether the processes of one host share memory. */
static inline int by_rings(void)
{
    const char *rings = getenv("DVM_RINGS");
    return rings == NULL || strcmp(rings, "0") != 0;
}

/* Whether this process and another one share memory: processes go in turn over DVM_TEST_HOSTS hosts. */
static inline int by_rings_with(uint64_t other)
{
    const char *hosts = getenv("DVM_TEST_HOSTS");
    uint64_t many = hosts ? strtoull(hosts, NULL, 10) : 1;
    return by_rings() && (many < 2 || other % many == process_index % many);
}

static void several_begin(void)
{
    dvm_retcode_t code = dvm_init();
    CHECK_CODE(DVM_SUCCESS, code);
    if (code != DVM_SUCCESS)
        exit(EXIT_FAILURE);
    CHECK_OK(dvm_process(&process_index, &process_count));
    CHECK_OK(dvm_rank_count(&rank_count));
}

/* The last line of the program, the same for any number of processes; the exit status. */
static int several_result(const char *name)
{
    int good = atomic_load(&check_failures) == 0 && atomic_load(&check_count) > 0;
    if (process_index == 0)
        printf("%s: %s\n", name, good ? "ok" : "failed");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline int several_end(const char *name)
{
    CHECK_OK(dvm_finalize());
    return several_result(name);
}

/* Process 0 drives, the others only work. */
static inline int several_main(const char *name, void (*drive)(void))
{
    several_begin();
    if (process_index == 0)
        drive();
    else
        CHECK_OK(dvm_serve());
    return several_end(name);
}

/* ----- scheduling ----- */

/* Schedules on the i-th PU, modulo their number. */
static inline dvm_retcode_t on_rank(uint64_t i, dvm_processing_id_t p, dvm_data_id_t *ids, int count)
{
    dvm_rank_t rank;
    nth_rank(i, rank);
    return dvm_sched_onto_v(rank, p, ids, count);
}

/* Schedules on a PU of a process. After learn_ranks(). */
static inline dvm_retcode_t on_process(uint64_t process, dvm_processing_id_t p, dvm_data_id_t *ids, int count)
{
    return on_rank(rank_of_process[process % process_count], p, ids, count);
}

typedef int callback_t(void *context, dvm_data_id_t *ids, int count);

/* A processing whose last `outputs` arguments are outputs. */
static inline void several_register(callback_t *callback, void *context, int count, int outputs, const char *name,
                                    dvm_processing_id_t p)
{
    int modes[64];
    for (int i = 0; i < count; i++)
        modes[i] = i < count - outputs ? DVM_IN : DVM_OUT;
    CHECK_OK(dvm_processing_register_v(callback, context, count, (char *)name, p));
    if (outputs)
        CHECK_OK(dvm_processing_access(p, modes));
}

/* ----- data ----- */

/* The bytes of a datum: in a task until it ends, elsewhere until put. NULL, and a failed check, if there are none. */
static inline void *bytes_of(dvm_data_id_t id, size_t expected)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_NUMBER(expected, size);
    return at;
}

/* A datum of this process with these bytes. */
static inline void new_bytes(dvm_data_id_t id, const void *bytes, size_t size)
{
    CHECK_OK(dvm_data_allocate(size, (uint64_t(*)[2])id));
    void *at = bytes_of(id, size);
    if (at && size)
        memcpy(at, bytes, size);
    CHECK_OK(dvm_data_put(id));
}

static inline void promise_of(size_t size, dvm_data_id_t id)
{
    CHECK_OK(dvm_data_promise(size, (uint64_t(*)[2])id));
}

/* Outside of tasks: waits for a datum of `size` bytes, copies it, and drops the reference. */
static inline int take_bytes(dvm_data_id_t id, void *to, size_t size)
{
    void *at = bytes_of(id, size);
    if (at == NULL)
        return 0;
    memcpy(to, at, size);
    CHECK_OK(dvm_data_put(id));
    CHECK_OK(dvm_data_relax(id));
    return 1;
}

static inline uint64_t take_number(dvm_data_id_t id)
{
    uint64_t number = UINT64_MAX;
    take_bytes(id, &number, sizeof number);
    return number;
}

/* In a task: the number in an input; writes the number into an output. */
static inline uint64_t input_number(dvm_data_id_t id)
{
    uint64_t number = UINT64_MAX;
    void *at = bytes_of(id, sizeof number);
    if (at)
        memcpy(&number, at, sizeof number);
    return number;
}

static inline int output_bytes(dvm_data_id_t id, const void *bytes, size_t size)
{
    void *at = bytes_of(id, size);
    if (at == NULL)
        return 1;
    if (size)
        memcpy(at, bytes, size);
    return 0;
}

static inline int output_number(dvm_data_id_t id, uint64_t number)
{
    return output_bytes(id, &number, sizeof number);
}

/* ----- who is where ----- */

static inline uint64_t my_process(void)
{
    uint64_t index = UINT64_MAX, count;
    CHECK_OK(dvm_process(&index, &count));
    return index;
}

static int several_who(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[0], my_process());
}

/* Asks all PUs. Any process may, at any time. */
static inline void learn_ranks(void)
{
    dvm_processing_id_t who;
    dvm_data_id_t *answers = malloc(rank_count * sizeof *answers);
    rank_owner = malloc(rank_count * sizeof *rank_owner);
    rank_of_process = malloc(process_count * sizeof *rank_of_process);
    if (!answers || !rank_owner || !rank_of_process)
        exit(EXIT_FAILURE);
    for (uint64_t p = 0; p < process_count; p++)
        rank_of_process[p] = UINT64_MAX;
    several_register(several_who, NULL, 1, 1, "who is there", who);
    for (uint64_t i = 0; i < rank_count; i++) {
        promise_of(sizeof(uint64_t), answers[i]);
        CHECK_OK(on_rank(i, who, &answers[i], 1));
    }
    for (uint64_t i = rank_count; i-- > 0;) {
        rank_owner[i] = take_number(answers[i]);
        CHECK(rank_owner[i] < process_count);
        if (rank_owner[i] < process_count)
            rank_of_process[rank_owner[i]] = i;
    }
    for (uint64_t p = 0; p < process_count; p++)
        CHECK(rank_of_process[p] != UINT64_MAX); /* every process has a PU */
    CHECK_OK(dvm_processing_unregister(&who));
    free(answers);
}

/* ----- the same values everywhere ----- */

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t z = (a + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u ^ (b + 0x2545f4914f6cdd1du) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) * 0xd6e8feb86659fd93u;
}

static inline void fill_pattern(void *at, size_t size, uint64_t seed)
{
    unsigned char *bytes = at;
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        if (i % 8 == 0)
            word = mixed(seed, i / 8);
        bytes[i] = (unsigned char)(word >> (i % 8 * 8));
    }
}

static inline uint64_t sum_of(const void *at, size_t size)
{
    const unsigned char *bytes = at;
    uint64_t sum = 0xcbf29ce484222325u ^ size;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

/* Makes a datum in the process of the task, and tells its id. */
static inline int make_datum(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_data_id_t id;
    void *at = NULL;
    size_t size = input_number(ids[0]), found;
    CHECK_OK(dvm_data_allocate(size, &id));
    CHECK_OK(dvm_data_get(id, &at, &found));
    fill_pattern(at, size, size);
    return output_bytes(ids[1], id, sizeof id);
}

/* A task that makes a promise of 8 bytes in its process, and tells the id. */
static inline int promise_told(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_data_id_t id;
    promise_of(8, id);
    return output_bytes(ids[0], id, sizeof id);
}

#endif
