/* Out of memory in each exported function: for every n, the n-th allocation of a call fails, or all from the n-th on, until the
 * call makes fewer. It returns DVM_ERR_MEMORY, or the same code as with memory, and can be repeated. Each function of the header
 * has a line in the table, which is checked against the header. */
#define _GNU_SOURCE
#include "check.h"
#include "failing.h"

#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

static long nth;
static int all_after;
static atomic_long failures; /* allocations that have failed in the call */

static void arm(void)
{
    failed = 0, spared = 0, for_good = all_after, countdown = nth;
}

static void disarm(void)
{
    countdown = 0;
    atomic_fetch_add(&failures, failed);
}

/* hwloc ends the process when it has no memory, which libdvm cannot prevent: its allocations succeed. */
static uintptr_t hwloc_begins, hwloc_ends;

static int find_hwloc(struct dl_phdr_info *library, size_t size, void *argument)
{
    (void)size, (void)argument;
    for (int k = 0; strstr(library->dlpi_name, "libhwloc") && k < library->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[k];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            hwloc_begins = library->dlpi_addr + part->p_vaddr;
            hwloc_ends = hwloc_begins + part->p_memsz;
        }
    }
    return 0;
}

static int in_hwloc(void)
{
    void *frames[64];
    int count = backtrace(frames, 64);
    for (int k = 0; k < count; k++)
        if ((uintptr_t)frames[k] >= hwloc_begins && (uintptr_t)frames[k] < hwloc_ends)
            return 1;
    return 0;
}

/* Only the call itself runs out of memory. */
#define ARMED(call) \
    __extension__({ \
        arm(); \
        dvm_retcode_t code_ = (call); \
        disarm(); \
        code_; \
    })

/* ----- the objects of the calls ----- */

static dvm_rank_t rank;
static dvm_processing_id_t one, none;
static dvm_data_id_t datum;
static dvm_distribution_t blocks, cyclic;
static dvm_redistribution_t ready_plan;

static int run(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

static void set_up(void)
{
    int64_t elements = 100, whole = 0, single = 1, four = 4;
    CHECK_OK(dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH));
    CHECK_OK(dvm_processing_register_v(run, NULL, 1, "one", one));
    CHECK_OK(dvm_processing_register_v(run, NULL, 0, "none", none));
    CHECK_OK(dvm_data_allocate(64, &datum));
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &whole, &four, &blocks));
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &single, &four, &cyclic));
    CHECK_OK(dvm_redistribution_plan(blocks, cyclic, 0, &ready_plan));
}

static void tear_down(void)
{
    CHECK_OK(dvm_data_relax(datum));
    CHECK_OK(dvm_processing_unregister(&one));
    CHECK_OK(dvm_processing_unregister(&none));
    CHECK_OK(dvm_distribution_free(blocks));
    CHECK_OK(dvm_distribution_free(cyclic));
    CHECK_OK(dvm_redistribution_free(ready_plan));
}

/* ----- one function for each export: prepares, calls, undoes the effects ----- */

#define GOOD(code) ((code) == DVM_SUCCESS)

/* A call that changes nothing. */
#define ASK(name, ...) \
    static dvm_retcode_t do_##name(void) \
    { \
        uint64_t a = 0, b = 0, numbers[16] = {0}; \
        int64_t places[16] = {0}; \
        int number = 0; \
        size_t size = 0; \
        char text[100]; \
        dvm_redistribution_figures_t figures = {.size = sizeof figures}; \
        (void)a, (void)b, (void)numbers, (void)places, (void)number, (void)size, (void)text, (void)figures; \
        return ARMED(name(__VA_ARGS__)); \
    }
ASK(dvm_init_comm, 0)
ASK(dvm_wait)
ASK(dvm_serve)
ASK(dvm_process, &a, &b)
ASK(dvm_rank_dimension, &number)
ASK(dvm_rank_get, numbers, DVM_MAX_RANK_DEPTH)
ASK(dvm_rank_size, numbers, DVM_MAX_RANK_DEPTH)
ASK(dvm_rank_count, &a)
ASK(dvm_rank_at, 0, numbers, DVM_MAX_RANK_DEPTH)
ASK(dvm_rank_distance, rank, rank, &a)
ASK(dvm_sched_load, rank, &a)
ASK(dvm_explain_text, text, sizeof text, &size)
ASK(dvm_distribution_memories, blocks, places)
ASK(dvm_distribution_size, blocks, 1, places)
ASK(dvm_distribution_extents, blocks, 1, places, 1)
ASK(dvm_distribution_strides, blocks, 1, places, 1)
ASK(dvm_redistribution_figures, ready_plan, 8, &figures)
ASK(dvm_redistribution_message, ready_plan, 0, 1, places)
ASK(dvm_redistribution_received, ready_plan, &a, &b)
ASK(dvm_redistribution_descriptor, ready_plan, 0, places, 16)

static dvm_retcode_t do_dvm_explain(void)
{
    fflush(stderr);
    int errors = dup(2);
    CHECK(errors >= 0 && freopen("/dev/null", "w", stderr) != NULL);
    dvm_retcode_t code = ARMED(dvm_explain());
    fflush(stderr);
    CHECK(dup2(errors, 2) == 2);
    close(errors);
    return code;
}
static dvm_retcode_t do_dvm_version(void)
{
    CHECK_NUMBER(DVM_VERSION, ARMED(dvm_version()));
    return DVM_SUCCESS;
}

static dvm_retcode_t do_dvm_strerror(void)
{
    arm();
    const char *text = dvm_strerror(DVM_ERR_MEMORY);
    disarm();
    CHECK(text != NULL && *text);
    return DVM_SUCCESS;
}
static dvm_retcode_t do_dvm_last_error(void)
{
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_process(NULL, NULL));
    arm();
    const char *text = dvm_last_error();
    disarm();
    CHECK(text != NULL && strstr(text, "NULL") != NULL);
    return DVM_SUCCESS;
}

/* Data. */
#define MAKE(name, ...) \
    static dvm_retcode_t do_##name(void) \
    { \
        static char bytes[64]; \
        dvm_data_id_t id = {0, 0}; \
        (void)bytes; \
        dvm_retcode_t code = ARMED(name(__VA_ARGS__)); \
        if (GOOD(code)) \
            CHECK_OK(dvm_data_relax(id)); \
        return code; \
    }
MAKE(dvm_data_register, bytes, sizeof bytes, NULL, &id)
MAKE(dvm_data_allocate, 70000, &id)
MAKE(dvm_data_promise, 70000, &id)
MAKE(dvm_data_next, datum, &id)

static dvm_retcode_t do_dvm_data_name(void)
{
    return ARMED(dvm_data_name(datum, "a datum with a name of some length"));
}
static dvm_retcode_t do_dvm_data_acquire(void)
{
    dvm_retcode_t code = ARMED(dvm_data_acquire(datum));
    if (GOOD(code))
        CHECK_OK(dvm_data_relax(datum));
    return code;
}
static dvm_retcode_t do_dvm_data_relax(void)
{
    CHECK_OK(dvm_data_acquire(datum));
    dvm_retcode_t code = ARMED(dvm_data_relax(datum));
    if (!GOOD(code))
        CHECK_OK(dvm_data_relax(datum));
    return code;
}
static dvm_retcode_t do_dvm_data_get(void)
{
    void *at;
    size_t size;
    dvm_retcode_t code = ARMED(dvm_data_get(datum, &at, &size));
    if (GOOD(code))
        CHECK_OK(dvm_data_put(datum));
    return code;
}
static dvm_retcode_t do_dvm_data_put(void)
{
    void *at;
    size_t size;
    CHECK_OK(dvm_data_get(datum, &at, &size));
    dvm_retcode_t code = ARMED(dvm_data_put(datum));
    if (!GOOD(code))
        CHECK_OK(dvm_data_put(datum));
    return code;
}
static dvm_retcode_t write_or_publish(int publish)
{
    dvm_data_id_t id;
    void *at;
    size_t size;
    CHECK_OK(dvm_data_promise(70000, &id));
    dvm_retcode_t code = DVM_SUCCESS;
    if (!publish)
        code = ARMED(dvm_data_write(id, &at, &size));
    if (GOOD(code))
        code = publish ? ARMED(dvm_data_publish(id)) : dvm_data_publish(id);
    if (!GOOD(code))
        CHECK_OK(dvm_data_publish(id));
    CHECK_OK(dvm_data_relax(id));
    return code;
}
static dvm_retcode_t do_dvm_data_write(void)
{
    return write_or_publish(0);
}
static dvm_retcode_t do_dvm_data_publish(void)
{
    return write_or_publish(1);
}

/* Processings and tasks. */
static dvm_retcode_t register_with(int way)
{
    static int context;
    dvm_processing_id_t id;
    char name[60], getpid_[] = "getpid";
    snprintf(name, sizeof name, "number %d", context++);
    dvm_retcode_t code = way == 0   ? ARMED(dvm_processing_register(DVM_CALLBACK(getpid), 0, name, id))
                         : way == 1 ? ARMED(dvm_processing_register_by_name(getpid_, 0, id))
                                    : ARMED(dvm_processing_register_v(run, &context + context, 3, name, id));
    if (GOOD(code))
        CHECK_OK(dvm_processing_unregister(&id));
    return code;
}
static dvm_retcode_t do_dvm_processing_register(void)
{
    return register_with(0);
}
static dvm_retcode_t do_dvm_processing_register_by_name(void)
{
    return register_with(1);
}
static dvm_retcode_t do_dvm_processing_register_v(void)
{
    return register_with(2);
}
static dvm_retcode_t with_processing(int way)
{
    dvm_processing_id_t id;
    int modes[2] = {DVM_IN, DVM_OUT};
    CHECK_OK(dvm_processing_register_v(run, &modes, 2, "short", id));
    dvm_retcode_t code = way == 0   ? ARMED(dvm_processing_access(id, modes))
                         : way == 1 ? ARMED(dvm_processing_cores(id, 2))
                                    : ARMED(dvm_processing_unregister(&id));
    if (way < 2 || !GOOD(code))
        CHECK_OK(dvm_processing_unregister(&id));
    return code;
}
static dvm_retcode_t do_dvm_processing_access(void)
{
    return with_processing(0);
}
static dvm_retcode_t do_dvm_processing_cores(void)
{
    return with_processing(1);
}
static dvm_retcode_t do_dvm_processing_unregister(void)
{
    return with_processing(2);
}
static dvm_retcode_t schedule(int way)
{
    CHECK_OK(dvm_data_acquire(datum));
    uint64_t *id = datum;
    dvm_retcode_t code = way == 0   ? ARMED(dvm_sched_onto(rank, one, id))
                         : way == 1 ? ARMED(dvm_sched_onto_v(rank, one, &datum, 1))
                                    : ARMED(dvm_sched_near(one, &datum, 1));
    if (!GOOD(code))
        CHECK_OK(dvm_data_relax(datum)); /* it was not taken */
    CHECK_OK(dvm_wait());
    return code;
}
static dvm_retcode_t do_dvm_sched_onto(void)
{
    return schedule(0);
}
static dvm_retcode_t do_dvm_sched_onto_v(void)
{
    return schedule(1);
}
static dvm_retcode_t do_dvm_sched_near(void)
{
    return schedule(2);
}

/* In a task, the last of several on one worker that are in sections at the same time. Each time there is one more, so that
 * libdvm must start a thread for it. */
static dvm_retcode_t of_task;
static dvm_processing_id_t sections;
static atomic_int deep, done;
static int depth;

static int section(void *context, dvm_data_id_t *ids, int count)
{
    (void)ids, (void)count;
    int armed_at_the_end = context != NULL;
    if (atomic_fetch_add(&deep, 1) < depth) {
        CHECK_OK(dvm_blocking_begin());
        CHECK_OK(dvm_sched_onto_v(rank, sections, NULL, 0));
        while (!atomic_load(&done))
            usleep(100);
        CHECK_OK(dvm_blocking_end());
        return 0;
    }
    of_task = armed_at_the_end ? dvm_blocking_begin() : ARMED(dvm_blocking_begin());
    if (GOOD(of_task))
        CHECK_OK(armed_at_the_end ? ARMED(dvm_blocking_end()) : dvm_blocking_end());
    CHECK_CODE(DVM_ERR_STATE, dvm_blocking_end());
    atomic_store(&done, 1);
    return 0;
}
static dvm_retcode_t in_section(void *context)
{
    depth += !context;
    atomic_store(&deep, 0), atomic_store(&done, 0);
    CHECK_OK(dvm_processing_register_v(section, context, 0, "section", sections));
    CHECK_OK(dvm_sched_onto_v(rank, sections, NULL, 0));
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_processing_unregister(&sections));
    return of_task;
}
static dvm_retcode_t do_dvm_blocking_begin(void)
{
    return in_section(NULL);
}
static dvm_retcode_t do_dvm_blocking_end(void)
{
    return in_section(&of_task);
}

#include "exports_graphs.h"

/* Distributions and redistributions. */
#define DISTRIBUTE(name, ...) \
    static dvm_retcode_t do_##name(void) \
    { \
        int64_t elements[] = {100, 70}, block[] = {7, 3}, processes[] = {4, 3}, halo[] = {1, 2}; \
        int64_t offset = 0, coef[] = {25, 1}, least[] = {0, 0}, most[] = {3, 24}, wide[] = {1, 0, 100, 70, 7, 3, 0, 0, 25}; \
        int narrow[] = {1, 0, 100, 70, 7, 3, 0, 0, 40}, of[] = {0, 0}, arch[] = {1, 0}; \
        dvm_distribution_t made; \
        (void)elements, (void)block, (void)processes, (void)halo, (void)offset, (void)coef, (void)least, (void)most; \
        (void)wide, (void)narrow, (void)of, (void)arch; \
        dvm_retcode_t code = ARMED(name(__VA_ARGS__, &made)); \
        if (GOOD(code)) \
            CHECK_OK(dvm_distribution_free(made)); \
        return code; \
    }
DISTRIBUTE(dvm_distribution_parse, "t = 0\n+ 10*p arch pe 0 .. P - 1\n+ 1*l data local 0 .. min(9, N - 1 - 10*p)", "P=4, N=35")
DISTRIBUTE(dvm_distribution_make, 1, &offset, NULL, 2, of, arch, coef, least, most)
DISTRIBUTE(dvm_distribution_block_cyclic, 2, elements, block, processes)
DISTRIBUTE(dvm_distribution_halo, 2, elements, processes, halo, halo)
DISTRIBUTE(dvm_distribution_scalapack, narrow, 3, 2)
DISTRIBUTE(dvm_distribution_scalapack_64, (wide[8] = 40, wide), 3, 2)

static dvm_retcode_t do_dvm_distribution_set_order(void)
{
    int order[] = {0};
    return ARMED(dvm_distribution_set_order(cyclic, order, 1));
}
static dvm_retcode_t do_dvm_distribution_set_strides(void)
{
    int64_t strides[] = {1};
    return ARMED(dvm_distribution_set_strides(cyclic, DVM_DISTRIBUTION_EVERY_MEMORY, strides, 1));
}
/* All memories stay this process's, which is number 0. */
static int64_t first[100];
static dvm_retcode_t do_dvm_distribution_set_processes(void)
{
    int64_t memories;
    CHECK_OK(dvm_distribution_memories(cyclic, &memories));
    return ARMED(dvm_distribution_set_processes(cyclic, first, memories));
}
static dvm_retcode_t do_dvm_distribution_set_grid(void)
{
    return ARMED(dvm_distribution_set_grid(cyclic, DVM_GRID_BY_COLUMNS, first, 100));
}
static dvm_retcode_t do_dvm_distribution_free(void)
{
    int64_t elements = 100, block = 7, processes = 4;
    dvm_distribution_t made;
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &block, &processes, &made));
    dvm_retcode_t code = ARMED(dvm_distribution_free(made));
    if (!GOOD(code))
        CHECK_OK(dvm_distribution_free(made));
    return code;
}
static dvm_retcode_t do_dvm_redistribution_plan(void)
{
    dvm_redistribution_t made;
    dvm_retcode_t code = ARMED(dvm_redistribution_plan(blocks, cyclic, DVM_REDISTRIBUTION_BALANCE, &made));
    if (GOOD(code))
        CHECK_OK(dvm_redistribution_free(made));
    return code;
}
static dvm_retcode_t do_dvm_redistribution_free(void)
{
    dvm_redistribution_t made;
    CHECK_OK(dvm_redistribution_plan(blocks, cyclic, 0, &made));
    dvm_retcode_t code = ARMED(dvm_redistribution_free(made));
    if (!GOOD(code))
        CHECK_OK(dvm_redistribution_free(made));
    return code;
}
static dvm_retcode_t redistribute(int start)
{
    dvm_data_id_t source[4], target[4], done;
    size_t element = 8;
    for (int k = 0; k < 4; k++) {
        CHECK_OK(dvm_data_allocate(200, &source[k]));
        CHECK_OK(dvm_data_allocate(200, &target[k]));
    }
    dvm_redistribution_t fresh; /* whose copies are not cut into pieces yet */
    CHECK_OK(dvm_redistribution_plan(blocks, cyclic, 0, &fresh));
    dvm_retcode_t code = start ? ARMED(dvm_redistribute_start(fresh, 1, &element, source, target, &done))
                               : ARMED(dvm_redistribute(fresh, 1, &element, source, target));
    if (start && GOOD(code)) {
        void *at;
        size_t size;
        CHECK_OK(dvm_data_get(done, &at, &size));
        CHECK_OK(dvm_data_put(done));
        CHECK_OK(dvm_data_relax(done));
    }
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_redistribution_free(fresh));
    for (int k = 0; k < 4; k++) {
        CHECK_OK(dvm_data_relax(source[k]));
        CHECK_OK(dvm_data_relax(target[k]));
    }
    return code;
}
static dvm_retcode_t do_dvm_redistribute(void)
{
    return redistribute(0);
}
static dvm_retcode_t do_dvm_redistribute_start(void)
{
    return redistribute(1);
}

/* Copies one by one. Who is armed has the number of its dimensions, or the name of another call. */
enum { OPEN = 10, WAIT, CLOSE, RECEIVE = 20 };
#define AT(place, call) (which == (place) ? ARMED(call) : (call))
static dvm_retcode_t copy(int which)
{
    dvm_data_id_t source, target;
    dvm_dma_t dma;
    CHECK_OK(dvm_data_allocate(64, &source));
    CHECK_OK(dvm_data_allocate(64, &target));
    dvm_retcode_t found = AT(OPEN, dvm_dma_open(&dma, 8, &source, 1, &target, 1)), code;
    if (GOOD(found)) {
        int dimension = which % 10 >= 1 && which % 10 <= 3 && which != WAIT && which != CLOSE ? which % 10 : 1;
        code = dimension == 1   ? AT(1, dvm_dma_send(dma, 0, 0, 8, 1))
               : dimension == 2 ? AT(2, dvm_dma_send_2d(dma, 0, 0, 4, 1, 2, 4))
                                : AT(3, dvm_dma_send_3d(dma, 0, 0, 2, 1, 2, 2, 2, 4));
        found = GOOD(found) ? code : found;
        if (GOOD(code)) {
            code = dimension == 1   ? AT(RECEIVE + 1, dvm_dma_receive(dma, 0, 0, 8, 1))
                   : dimension == 2 ? AT(RECEIVE + 2, dvm_dma_receive_2d(dma, 0, 0, 4, 1, 2, 4))
                                    : AT(RECEIVE + 3, dvm_dma_receive_3d(dma, 0, 0, 2, 1, 2, 2, 2, 4));
            found = GOOD(found) ? code : found;
        }
        code = AT(WAIT, dvm_dma_wait(dma)); /* reports the error once more */
        CHECK(code == DVM_SUCCESS || code == DVM_ERR_MEMORY || code == DVM_ERR_STATE);
        found = GOOD(found) ? code : found;
        code = AT(CLOSE, dvm_dma_close(dma));
        found = GOOD(found) ? code : found;
        if (which == CLOSE && code == DVM_ERR_MEMORY)
            CHECK(dvm_dma_close(dma) == DVM_ERR_ID || 1); /* closed, or not reached */
    }
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_data_relax(source));
    CHECK_OK(dvm_data_relax(target));
    return found;
}
#define COPY(name, which) \
    static dvm_retcode_t do_##name(void) \
    { \
        return copy(which); \
    }
COPY(dvm_dma_open, OPEN)
static dvm_retcode_t do_dvm_dma_open_over(void)
{
    dvm_data_id_t source, target;
    dvm_dma_t dma;
    CHECK_OK(dvm_data_allocate(64, &source));
    CHECK_OK(dvm_data_allocate(64, &target));
    dvm_retcode_t code = ARMED(dvm_dma_open_over(&dma, 8, &source, first, 1, &target, first, 1));
    if (GOOD(code)) {
        CHECK_OK(dvm_dma_send(dma, 0, 0, 8, 1));
        CHECK_OK(dvm_dma_receive(dma, 0, 0, 8, 1));
        CHECK_OK(dvm_dma_close(dma));
    }
    CHECK_OK(dvm_data_relax(source));
    CHECK_OK(dvm_data_relax(target));
    return code;
}
COPY(dvm_dma_send, 1)
COPY(dvm_dma_send_2d, 2)
COPY(dvm_dma_send_3d, 3)
COPY(dvm_dma_receive, RECEIVE + 1)
COPY(dvm_dma_receive_2d, RECEIVE + 2)
COPY(dvm_dma_receive_3d, RECEIVE + 3)
COPY(dvm_dma_wait, WAIT)
COPY(dvm_dma_close, CLOSE)

/* The beginning and the end. */
static dvm_retcode_t do_dvm_init(void)
{
    dvm_retcode_t code = ARMED(dvm_init());
    if (GOOD(code))
        CHECK_OK(dvm_finalize());
    return code;
}
static dvm_retcode_t do_dvm_graph_start(void)
{
    dvm_retcode_t code = ARMED(dvm_graph_start());
    if (GOOD(code)) {
        CHECK_OK(dvm_init());
        CHECK_OK(dvm_finalize());
    }
    return code;
}
static dvm_retcode_t do_dvm_finalize(void)
{
    dvm_data_id_t id;
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_data_allocate(70000, &id)); /* freed by the end */
    dvm_retcode_t code = ARMED(dvm_finalize());
    if (!GOOD(code))
        CHECK_OK(dvm_finalize());
    return code;
}

/* ----- the table ----- */

enum { RUNS, RESTS }; /* whether libdvm runs at the call */

#define LINE(name, when, otherwise) {#name, do_##name, when, otherwise}
static const struct {
    const char *name;
    dvm_retcode_t (*call)(void);
    int when;
    dvm_retcode_t otherwise; /* its code with enough memory */
} lines[] = {
    LINE(dvm_init, RESTS, DVM_SUCCESS), LINE(dvm_graph_start, RESTS, DVM_SUCCESS), LINE(dvm_finalize, RESTS, DVM_SUCCESS),
    LINE(dvm_init_comm, RUNS, DVM_ERR_ALREADY_INITIALIZED), LINE(dvm_serve, RUNS, DVM_ERR_UNSUPPORTED),
    LINE(dvm_wait, RUNS, DVM_SUCCESS), LINE(dvm_process, RUNS, DVM_SUCCESS),
    LINE(dvm_rank_dimension, RUNS, DVM_SUCCESS), LINE(dvm_rank_get, RUNS, DVM_SUCCESS), LINE(dvm_rank_size, RUNS, DVM_SUCCESS),
    LINE(dvm_rank_count, RUNS, DVM_SUCCESS), LINE(dvm_rank_at, RUNS, DVM_SUCCESS), LINE(dvm_rank_distance, RUNS, DVM_SUCCESS),
    LINE(dvm_data_register, RUNS, DVM_SUCCESS), LINE(dvm_data_allocate, RUNS, DVM_SUCCESS),
    LINE(dvm_data_acquire, RUNS, DVM_SUCCESS), LINE(dvm_data_relax, RUNS, DVM_SUCCESS), LINE(dvm_data_get, RUNS, DVM_SUCCESS),
    LINE(dvm_data_put, RUNS, DVM_SUCCESS), LINE(dvm_data_promise, RUNS, DVM_SUCCESS), LINE(dvm_data_write, RUNS, DVM_SUCCESS),
    LINE(dvm_data_publish, RUNS, DVM_SUCCESS), LINE(dvm_data_next, RUNS, DVM_SUCCESS),
    LINE(dvm_data_name, RUNS, DVM_SUCCESS),
    LINE(dvm_processing_register, RUNS, DVM_SUCCESS), LINE(dvm_processing_register_by_name, RUNS, DVM_SUCCESS),
    LINE(dvm_processing_register_v, RUNS, DVM_SUCCESS), LINE(dvm_processing_access, RUNS, DVM_SUCCESS),
    LINE(dvm_processing_unregister, RUNS, DVM_SUCCESS), LINE(dvm_processing_cores, RUNS, DVM_SUCCESS),
    LINE(dvm_sched_onto, RUNS, DVM_SUCCESS), LINE(dvm_sched_onto_v, RUNS, DVM_SUCCESS), LINE(dvm_sched_near, RUNS, DVM_SUCCESS),
    LINE(dvm_sched_load, RUNS, DVM_SUCCESS), LINE(dvm_blocking_begin, RUNS, DVM_SUCCESS), LINE(dvm_blocking_end, RUNS, DVM_SUCCESS),
    LINE(dvm_graph_run, RUNS, DVM_SUCCESS), LINE(dvm_graph_sizes, RUNS, DVM_SUCCESS), LINE(dvm_explain, RUNS, DVM_SUCCESS),
    LINE(dvm_region_enter, RUNS, DVM_SUCCESS), LINE(dvm_region_leave, RUNS, DVM_SUCCESS),
    LINE(dvm_region_run, RUNS, DVM_SUCCESS), LINE(dvm_region_sizes, RUNS, DVM_SUCCESS), LINE(dvm_region_waits, RUNS, DVM_SUCCESS),
    LINE(dvm_across_begins, RUNS, DVM_SUCCESS), LINE(dvm_across_run, RUNS, DVM_ERR_STATE),
    LINE(dvm_across_known, RUNS, DVM_SUCCESS), LINE(dvm_across_serve, RUNS, DVM_SUCCESS),
    LINE(dvm_across_loop, RUNS, DVM_SUCCESS),
    LINE(dvm_across_sizes, RUNS, DVM_ERR_ARGUMENT), LINE(dvm_across_graph, RUNS, DVM_ERR_ARGUMENT),
    LINE(dvm_explain_text, RUNS, DVM_SUCCESS), LINE(dvm_distribution_parse, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_make, RUNS, DVM_SUCCESS), LINE(dvm_distribution_block_cyclic, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_halo, RUNS, DVM_SUCCESS), LINE(dvm_distribution_scalapack, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_scalapack_64, RUNS, DVM_SUCCESS), LINE(dvm_distribution_set_order, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_set_processes, RUNS, DVM_SUCCESS), LINE(dvm_distribution_set_grid, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_set_strides, RUNS, DVM_SUCCESS), LINE(dvm_distribution_memories, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_size, RUNS, DVM_SUCCESS), LINE(dvm_distribution_extents, RUNS, DVM_SUCCESS),
    LINE(dvm_distribution_strides, RUNS, DVM_SUCCESS), LINE(dvm_distribution_free, RUNS, DVM_SUCCESS),
    LINE(dvm_redistribution_plan, RUNS, DVM_SUCCESS), LINE(dvm_redistribution_figures, RUNS, DVM_SUCCESS),
    LINE(dvm_redistribution_received, RUNS, DVM_SUCCESS), LINE(dvm_dma_open_over, RUNS, DVM_SUCCESS),
    LINE(dvm_redistribution_message, RUNS, DVM_SUCCESS), LINE(dvm_redistribution_descriptor, RUNS, DVM_SUCCESS),
    LINE(dvm_redistribute, RUNS, DVM_SUCCESS), LINE(dvm_redistribute_start, RUNS, DVM_SUCCESS),
    LINE(dvm_redistribution_free, RUNS, DVM_SUCCESS), LINE(dvm_dma_open, RUNS, DVM_SUCCESS), LINE(dvm_dma_send, RUNS, DVM_SUCCESS),
    LINE(dvm_dma_send_2d, RUNS, DVM_SUCCESS), LINE(dvm_dma_send_3d, RUNS, DVM_SUCCESS), LINE(dvm_dma_receive, RUNS, DVM_SUCCESS),
    LINE(dvm_dma_receive_2d, RUNS, DVM_SUCCESS), LINE(dvm_dma_receive_3d, RUNS, DVM_SUCCESS), LINE(dvm_dma_wait, RUNS, DVM_SUCCESS),
    LINE(dvm_dma_close, RUNS, DVM_SUCCESS), LINE(dvm_strerror, RUNS, DVM_SUCCESS), LINE(dvm_last_error, RUNS, DVM_SUCCESS),
    LINE(dvm_version, RUNS, DVM_SUCCESS),
};
enum { LINES = sizeof lines / sizeof *lines };

/* Each function that the header declares has its line. */
static void the_table_is_whole(void)
{
    char text[400], name[100];
    int found = 0;
    FILE *header = fopen(DVM_TEST_HEADER, "r");
    CHECK(header != NULL);
    while (header && fgets(text, sizeof text, header)) {
        if (sscanf(text, "dvm_retcode_t %99[a-z0-9_](", name) != 1 && sscanf(text, "const char *%99[a-z0-9_](", name) != 1 &&
            sscanf(text, "int %99[a-z0-9_](", name) != 1)
            continue;
        if (strncmp(name, "dvm_", 4) != 0 || !strchr(text, '('))
            continue;
        int at = 0;
        while (at < LINES && strcmp(lines[at].name, name) != 0)
            at++;
        if (at == LINES)
            fprintf(stderr, "%s has no line in the table of exports.c\n", name);
        CHECK(at < LINES);
        found++;
    }
    if (header)
        fclose(header);
    CHECK_NUMBER(LINES, found);
}

/* Waits until calls that may need the library's reserve are no longer refused: workers hold some of it from previous calls.
 * The preparation of a line must succeed. */
static void settle(void)
{
    int64_t elements = 100, whole = 0, four = 4;
    dvm_distribution_t made;
    dvm_retcode_t code = DVM_ERR_MEMORY;
    for (int looks = 0; code == DVM_ERR_MEMORY && looks < 30000; looks++) {
        code = dvm_distribution_block_cyclic(1, &elements, &whole, &four, &made);
        if (code == DVM_ERR_MEMORY)
            usleep(1000);
    }
    CHECK_OK(code);
    if (GOOD(code))
        CHECK_OK(dvm_distribution_free(made));
}

static void try_line(int at)
{
    int refusals = 0;
    for (nth = 1; nth < 100000; nth++) {
        if (lines[at].when == RUNS)
            settle();
        atomic_store(&failures, 0);
        dvm_retcode_t code = lines[at].call();
        if (code != lines[at].otherwise && code != DVM_ERR_MEMORY)
            fprintf(stderr, "%s: code %d, allocation %ld%s\n", lines[at].name, (int)code, nth, all_after ? " and all after it" : "");
        CHECK(code == lines[at].otherwise || code == DVM_ERR_MEMORY);
        refusals += code == DVM_ERR_MEMORY;
        nth += all_after ? 0 : spared; /* the same one would fail for each of these */
        if (atomic_load(&failures) == 0) {
            /* Workers soon give back the parts of the library's reserve that they hold from previous calls. */
            for (int looks = 0; code == DVM_ERR_MEMORY && looks < 30000; looks++) {
                usleep(1000);
                code = lines[at].call();
            }
            CHECK_CODE(lines[at].otherwise, code);
            break;
        }
    }
    if (getenv("DVM_TEST_TALK"))
        fprintf(stderr, "%s: %ld allocations, %d refusals\n", lines[at].name, nth - 1, refusals);
}

/* Calls as the first of a thread: libdvm must allocate the thread's state. */
static void *try_line_in_a_thread(void *at)
{
    try_line((int)(intptr_t)at);
    return NULL;
}

static void try_all(int when)
{
    for (int at = 0; at < LINES; at++) {
        if (lines[at].when != when)
            continue;
        for (all_after = 0; all_after < 2; all_after++) {
            pthread_t thread;
            try_line(at);
            CHECK_NUMBER(0, pthread_create(&thread, NULL, try_line_in_a_thread, (void *)(intptr_t)at));
            CHECK_NUMBER(0, pthread_join(thread, NULL));
        }
    }
}

int main(void)
{
    the_table_is_whole();
    dl_iterate_phdr(find_hwloc, NULL);
    CHECK(hwloc_ends > 0);
    in_hwloc(); /* its first call allocates */
    spare = in_hwloc;
    try_all(RESTS);
    spare = NULL;
    CHECK_OK(dvm_init());
    set_up();
    try_all(RUNS);
    tear_down();
    CHECK_OK(dvm_finalize());
    return check_end("exports");
}
