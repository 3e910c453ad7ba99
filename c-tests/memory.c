/* Out of memory: each call returns DVM_ERR_MEMORY, changes nothing, and the program goes on.
 *
 * The allocator of this program fails on request: at the n-th call of the testing thread, or at all from the
 * n-th on, for every n until a call of libdvm makes fewer; or at all calls of all threads for a while. */
#include "check.h"
#include "failing.h"
#include "limit.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ----- the calls ----- */

enum { WIDE = 2000, PLAIN = 20 };

static dvm_processing_id_t small, wide, plain, produces;
static dvm_data_id_t datum, gate, all[WIDE];
static dvm_rank_t rank;
static atomic_int ran;

static int run(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_fetch_add(&ran, 1);
    return 0;
}

static int run_plain(void)
{
    atomic_fetch_add(&ran, 1);
    return 0;
}

/* Each case makes one call, and undoes its effects if it succeeded. */
static dvm_retcode_t allocate_small(void)
{
    dvm_data_id_t id[300];
    dvm_retcode_t code = DVM_SUCCESS;
    int made = 0;
    while (code == DVM_SUCCESS && made < 300) /* more than a thread's cache holds */
        code = dvm_data_allocate(100, &id[made++]);
    for (int i = 0; i < made - (code != DVM_SUCCESS); i++)
        CHECK_OK(dvm_data_relax(id[i]));
    return code;
}
static dvm_retcode_t allocate_large(void)
{
    dvm_data_id_t id;
    dvm_retcode_t code = dvm_data_allocate(100000, &id);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_data_relax(id));
    return code;
}
static dvm_retcode_t promise_and_write(void)
{
    dvm_data_id_t id;
    void *at;
    size_t size;
    dvm_retcode_t code = dvm_data_promise(5000, &id);
    if (code != DVM_SUCCESS)
        return code;
    code = dvm_data_write(id, &at, &size);
    if (code == DVM_SUCCESS)
        code = dvm_data_publish(id);
    CHECK_OK(dvm_data_relax(id));
    return code;
}
static atomic_int frees;
static void count_free(void *at, size_t size)
{
    (void)at, (void)size;
    atomic_fetch_add(&frees, 1);
}
static dvm_retcode_t register_memory(void)
{
    static char bytes[8];
    dvm_data_id_t id;
    int before = atomic_load(&frees);
    dvm_retcode_t code = dvm_data_register(bytes, 8, count_free, &id);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_data_relax(id));
    CHECK_NUMBER(before + (code == DVM_SUCCESS), atomic_load(&frees)); /* on failure the caller keeps it */
    return code;
}
static dvm_retcode_t schedule_small(void)
{
    return dvm_sched_near(small, &datum, 1);
}
static dvm_retcode_t schedule_wide(void)
{
    return dvm_sched_onto_v(rank, wide, all, WIDE);
}
static dvm_retcode_t schedule_plain(void)
{
    uint64_t *p = datum;
    return dvm_sched_onto(rank, plain, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p);
}
static dvm_retcode_t register_processing(void)
{
    static int context;
    dvm_processing_id_t id;
    char name[100];
    snprintf(name, sizeof name, "a processing of its own, number %d", context++);
    dvm_retcode_t code = dvm_processing_register_v(run, &context + context, 3, name, id);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_processing_unregister(&id));
    return code;
}
static dvm_retcode_t register_named(void)
{
    dvm_processing_id_t id;
    char name[] = "getpid";
    dvm_retcode_t code = dvm_processing_register_by_name(name, 0, id);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_processing_unregister(&id));
    return code;
}
static dvm_retcode_t set_modes(void)
{
    int modes[] = {DVM_IN, DVM_OUT, DVM_IN};
    return dvm_processing_access(produces, modes);
}
static dvm_retcode_t set_cores(void)
{
    return dvm_processing_cores(produces, 1);
}
static dvm_retcode_t distribute(void)
{
    int64_t elements[] = {1000, 70}, block[] = {7, 3}, processes[] = {9, 4};
    dvm_distribution_t made;
    dvm_retcode_t code = dvm_distribution_block_cyclic(2, elements, block, processes, &made);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_distribution_free(made));
    return code;
}
static dvm_retcode_t parse(void)
{
    dvm_distribution_t made;
    dvm_retcode_t code = dvm_distribution_parse("t = 0\n+ 10*p arch pe 0 .. P - 1\n+ 1*l data local 0 .. min(9, N - 1 - 10*p)",
                                                "P=4, N=35", &made);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_distribution_free(made));
    return code;
}
static dvm_distribution_t blocks, cyclic;
static dvm_retcode_t reorder(void)
{
    int order[] = {0};
    return dvm_distribution_set_order(blocks, order, 1);
}
static dvm_retcode_t plan(void)
{
    dvm_redistribution_t made;
    dvm_retcode_t code = dvm_redistribution_plan(blocks, cyclic, 0, &made);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_redistribution_free(made));
    return code;
}
static int tile(void *context, const int64_t *at)
{
    (void)context, (void)at;
    return 0;
}
static dvm_retcode_t graph(void)
{
    int64_t lower[] = {0, 0}, upper[] = {9, 9};
    int carried[] = {1, 1};
    dvm_graph_t g = {.size = sizeof g, .name = "tiles", .dimension = 2, .lower = lower, .upper = upper,
                     .carried = carried, .run = tile};
    return dvm_graph_run(&g);
}
static dvm_retcode_t refused_anyway(void) /* its message needs memory, but appears without */
{
    dvm_data_id_t none = {0, 7};
    dvm_retcode_t code = dvm_data_relax(none);
    CHECK_CODE(DVM_ERR_ID, code);
    CHECK_MENTIONS("does not exist");
    return DVM_ERR_MEMORY;
}

static const struct {
    const char *name;
    dvm_retcode_t (*call)(void);
    int tasks; /* number of tasks that a success adds */
} cases[] = {
    {"allocate small", allocate_small, 0},
    {"allocate large", allocate_large, 0},
    {"promise, write, publish", promise_and_write, 0},
    {"register memory", register_memory, 0},
    {"schedule small", schedule_small, 1},
    {"schedule wide", schedule_wide, 1},
    {"schedule plain", schedule_plain, 1},
    {"register a processing", register_processing, 0},
    {"register by name", register_named, 0},
    {"access", set_modes, 0},
    {"cores", set_cores, 0},
    {"block-cyclic", distribute, 0},
    {"parse", parse, 0},
    {"order", reorder, 0},
    {"plan", plan, 0},
    {"graph", graph, 0},
    {"an error", refused_anyway, 0},
};

/* Counts the references of the data by dropping them. */
static void set_up(void)
{
    int out[] = {DVM_IN, DVM_IN, DVM_IN};
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register_v(run, NULL, 1, NULL, small));
    CHECK_OK(dvm_processing_register_v(run, NULL, WIDE, NULL, wide));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(run_plain), PLAIN, NULL, plain));
    CHECK_OK(dvm_processing_register_v(run, NULL, 3, NULL, produces));
    CHECK_OK(dvm_processing_access(produces, out));
    CHECK_OK(dvm_data_allocate(8, &datum));
    for (int i = 0; i < WIDE; i++)
        CHECK_OK(dvm_data_allocate(8, &all[i]));
    int64_t elements = 100, none = 0, one = 1, four = 4;
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &none, &four, &blocks));
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &one, &four, &cyclic));
}

static void acquire(dvm_data_id_t id, int times)
{
    for (int i = 0; i < times; i++)
        CHECK_OK(dvm_data_acquire(id));
}

/* Acquires the references that a call takes, makes the call, and checks the rest. */
static dvm_retcode_t call(int place, long fails_at, int all_after, int *any)
{
    int tasks = cases[place].tasks, before = atomic_load(&ran);
    int of_datum = cases[place].call == schedule_small ? 1 : cases[place].call == schedule_plain ? PLAIN : 0;
    int of_all = cases[place].call == schedule_wide;
    acquire(datum, of_datum);
    for (int i = 0; of_all && i < WIDE; i++)
        acquire(all[i], 1);
    failed = 0, for_good = all_after, countdown = fails_at;
    dvm_retcode_t code = cases[place].call();
    countdown = 0;
    *any = failed;
    if (code != DVM_SUCCESS) {
        for (int i = 0; i < of_datum; i++) /* none was taken */
            CHECK_OK(dvm_data_relax(datum));
        for (int i = 0; of_all && i < WIDE; i++)
            CHECK_OK(dvm_data_relax(all[i]));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + (code == DVM_SUCCESS ? tasks : 0), atomic_load(&ran));
    return code;
}

static int in_a_thread; /* the call is the thread's first */
static void *call_in_a_thread(void *where)
{
    const int *at = where;
    int any;
    dvm_retcode_t code = call(at[0], at[1], at[2], &any);
    return (void *)(intptr_t)(code == DVM_SUCCESS || code == DVM_ERR_MEMORY ? any : -1);
}

static void every_allocation_fails_once(void)
{
    for (int place = 0; place < (int)(sizeof cases / sizeof *cases); place++) {
        for (int all_after = 0; all_after < 2; all_after++) {
            int refusals = 0;
            for (int n = 1;; n++) {
                int any;
                if (in_a_thread) {
                    int where[] = {place, n, all_after};
                    pthread_t thread;
                    void *result;
                    CHECK_NUMBER(0, pthread_create(&thread, NULL, call_in_a_thread, where));
                    CHECK_NUMBER(0, pthread_join(thread, &result));
                    any = (int)(intptr_t)result;
                    if (any < 0)
                        fprintf(stderr, "%s, allocation %d\n", cases[place].name, n);
                    CHECK(any >= 0);
                } else {
                    dvm_retcode_t code = call(place, n, all_after, &any);
                    if (code != DVM_SUCCESS && code != DVM_ERR_MEMORY)
                        fprintf(stderr, "%s, allocation %d\n", cases[place].name, n);
                    CHECK(code == DVM_SUCCESS || code == DVM_ERR_MEMORY);
                    refusals += code != DVM_SUCCESS;
                }
                if (any <= 0 || n > 100000)
                    break;
            }
            if (getenv("DVM_TEST_TALK"))
                fprintf(stderr, "%s: %d refusals\n", cases[place].name, refusals);
        }
    }
}

/* All allocations fail for a while, also in workers: accepted tasks run all the same. */
static void nobody_gets_anything_for_a_while(void)
{
    int before = atomic_load(&ran), accepted = 0, refusals = 0;
    CHECK_OK(dvm_data_promise(8, &gate));
    acquire(gate, 20000);
    for (int i = 0; i < 20000; i++) {
        atomic_store(&none_at_all, i > 5000);
        dvm_retcode_t code = dvm_sched_near(small, &gate, 1);
        accepted += code == DVM_SUCCESS;
        refusals += code == DVM_ERR_MEMORY;
    }
    CHECK_NUMBER(20000, accepted + refusals);
    CHECK(refusals > 0);
    CHECK_OK(dvm_data_publish(gate)); /* while all allocations fail */
    CHECK_OK(dvm_wait());
    atomic_store(&none_at_all, 0);
    CHECK_NUMBER(before + accepted, atomic_load(&ran));
    for (int i = 0; i < 20001 - accepted; i++)
        CHECK_OK(dvm_data_relax(gate));
    CHECK_CODE(DVM_ERR_ID, dvm_data_relax(gate));
}

/* ----- a limit of the system ----- */

static void tasks_until_memory_is_out(void)
{
    int before = atomic_load(&ran), accepted = 0;
    dvm_retcode_t code = DVM_SUCCESS;
    CHECK_OK(dvm_data_promise(8, &gate));
    while (code == DVM_SUCCESS && accepted < 10000000) {
        CHECK_OK(dvm_data_acquire(gate));
        code = dvm_sched_near(small, &gate, 1);
        accepted += code == DVM_SUCCESS;
    }
    CHECK_CODE(DVM_ERR_MEMORY, code);
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(before + accepted, atomic_load(&ran));
    CHECK_OK(dvm_data_relax(gate));
    CHECK_OK(dvm_data_relax(gate));
}

static void processings_until_memory_is_out(void)
{
    enum { MOST = 3000000 };
    static dvm_processing_id_t ids[MOST];
    static char name[200000];
    int made = 0;
    dvm_retcode_t code = DVM_SUCCESS;
    memset(name, 'n', sizeof name - 1);
    while (code == DVM_SUCCESS && made < MOST) {
        snprintf(name, sizeof name, "%d", made);
        name[strlen(name)] = ' '; /* as long as ever */
        code = dvm_processing_register_v(run, ids[made], 1, name, ids[made]);
        made += code == DVM_SUCCESS;
    }
    CHECK_CODE(DVM_ERR_MEMORY, code);
    for (int i = 0; i < made; i++)
        CHECK_OK(dvm_processing_unregister(&ids[i]));
}

static void distributions_until_memory_is_out(void)
{
    enum { MOST = 1000000 };
    static dvm_distribution_t made[MOST];
    int64_t elements = 1000000, block = 3, processes = 200;
    int count = 0;
    dvm_retcode_t code = DVM_SUCCESS;
    while (code == DVM_SUCCESS && count < MOST) {
        code = dvm_distribution_block_cyclic(1, &elements, &block, &processes, &made[count]);
        count += code == DVM_SUCCESS;
    }
    CHECK_CODE(DVM_ERR_MEMORY, code);
    for (int i = 0; i < count; i++)
        CHECK_OK(dvm_distribution_free(made[i]));
    processes = 1 << 24; /* one that is too large by itself */
    elements = (int64_t)1 << 40;
    CHECK_CODE(DVM_ERR_MEMORY, dvm_distribution_block_cyclic(1, &elements, &block, &processes, &made[0]));
    processes = 4;
    CHECK_OK(dvm_distribution_block_cyclic(1, &elements, &block, &processes, &made[0]));
    CHECK_OK(dvm_distribution_free(made[0]));
}

static void under_a_limit(void (*body)(void))
{
    pid_t child = fork();
    if (child == 0) {
        alarm(250);
        CHECK_OK(dvm_init());
        set_up();
        struct rlimit limit = {address_space() + (96 << 20), RLIM_INFINITY};
        CHECK_NUMBER(0, setrlimit(RLIMIT_AS, &limit));
        body();
        body(); /* the memory was given back */
        CHECK_OK(dvm_finalize());
        _exit(check_end("memory under a limit"));
    }
    int status = 0;
    CHECK_NUMBER(child, waitpid(child, &status, 0));
    CHECK_NUMBER(0, status);
}

int main(void)
{
    under_a_limit(tasks_until_memory_is_out);
    under_a_limit(processings_until_memory_is_out);
    under_a_limit(distributions_until_memory_is_out);
    CHECK_OK(dvm_init());
    set_up();
    every_allocation_fails_once();
    in_a_thread = 1;
    every_allocation_fails_once();
    nobody_gets_anything_for_a_while();
    CHECK_OK(dvm_finalize());
    return check_end("memory");
}
