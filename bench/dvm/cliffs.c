/* Many of one thing, each case by its VARIANT: what one of them costs must not grow with their number.
 *
 * gets        a task gets each of its SIZE inputs; ns for each
 * sections    SIZE tasks leave blocking sections at once; ns for each
 * sleepers    SIZE publications while 2,000 threads sleep in a get of other data; ns of CPU for each
 * near-16     SIZE tasks near 16 data that lie on 16 workers, of 256; ns for each, from its scheduling until all have ended
 * near-1k     SIZE tasks near one datum each, 1,024 workers; likewise
 * near-4k     the same, 4,096 workers
 * arguments-N SIZE tasks with N arguments; ns for each
 * remote      SIZE data of 4 to 64 KiB that one worker makes and another one frees; ns for each
 * remote-malloc  the same tasks with memory of the C library, whose address is the datum
 * wait-N      SIZE times N tasks and a wait; ns for each wait */
#define _GNU_SOURCE
#include "dvm_work.h"

#include <pthread.h>
#include <sys/resource.h>

enum { SLEEPERS = 2000, HOMES = 16, MANY = 64, FLIGHT = 64 };

static size_t total;
static volatile size_t inside;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static double cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void with_stack_of_64_kib(pthread_attr_t *attributes)
{
    pthread_attr_init(attributes);
    pthread_attr_setstacksize(attributes, 64 << 10);
}

static int empty(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    bench_ran();
    return 0;
}

static void begin(const bench_t *bench, const char *synthetic)
{
    if (!synthetic) {
        dvm_begin(bench);
        return;
    }
    setenv("DVM_SYNTHETIC", synthetic, 1);
    setenv("DVM_STACK", "64", 1);
    unsetenv("DVM_WORKERS");
    need(dvm_init());
    need(dvm_rank_count(&rank_count));
    for (uint64_t i = 0; i < rank_count; i++)
        need(dvm_rank_at(i, ranks[i], DVM_MAX_RANK_DEPTH));
}

static void register_empty(int arguments, dvm_processing_id_t processing)
{
    need(dvm_processing_register_v(empty, NULL, arguments, "empty", processing));
}

static bench_t *timed;

static int get_all(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    uint64_t sum = 0;
    bench_start(timed);
    for (int i = 0; i < count; i++)
        sum += *(uint64_t *)bytes(ids[i]);
    bench_stop(timed);
    return sum != total;
}

static uint64_t gets(bench_t *bench)
{
    begin(bench, NULL);
    dvm_data_id_t *ids = calloc(bench->size, sizeof *ids);
    dvm_processing_id_t processing;
    timed = bench;
    for (size_t i = 0; i < bench->size; i++) {
        number_new(i, &ids[i]);
        total += i;
    }
    need(dvm_processing_register_v(get_all, NULL, (int)bench->size, "gets", processing));
    need(dvm_sched_near(processing, ids, (int)bench->size));
    need(dvm_wait());
    free(ids);
    return bench->size;
}

static int block(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    need(dvm_blocking_begin());
    __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    need(dvm_blocking_end());
    return 0;
}

static uint64_t sections(bench_t *bench)
{
    dvm_processing_id_t processing;
    setenv("DVM_STACK", "64", 1);
    begin(bench, NULL);
    need(dvm_processing_register_v(block, NULL, 0, "block", processing));
    pthread_mutex_lock(&gate);
    for (size_t i = 0; i < bench->size; i++)
        need(dvm_sched_near(processing, NULL, 0));
    struct timespec moment = { 0, 1000000 };
    while (inside < bench->size)
        nanosleep(&moment, NULL);
    bench_start(bench);
    pthread_mutex_unlock(&gate);
    need(dvm_wait());
    bench_stop(bench);
    return bench->size;
}

static void *sleep_in_get(void *id)
{
    __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
    bytes(id);
    need(dvm_data_put(id));
    return NULL;
}

static uint64_t sleepers(bench_t *bench)
{
    static dvm_data_id_t data[SLEEPERS];
    static pthread_t threads[SLEEPERS];
    pthread_attr_t small;
    begin(bench, NULL);
    with_stack_of_64_kib(&small);
    for (int i = 0; i < SLEEPERS; i++) {
        need(dvm_data_promise(8, &data[i]));
        if (pthread_create(&threads[i], &small, sleep_in_get, data[i]))
            bench_fail("sleepers", "no thread");
    }
    struct timespec moment = { 0, 100000000 };
    while (inside < SLEEPERS)
        nanosleep(&moment, NULL);
    nanosleep(&moment, NULL);
    double before = cpu();
    for (size_t i = 0; i < bench->size; i++) {
        /* One more, whom it wakes. */
        dvm_data_id_t id;
        pthread_t thread;
        size_t there = inside;
        need(dvm_data_promise(8, &id));
        if (pthread_create(&thread, &small, sleep_in_get, id))
            bench_fail("sleepers", "no thread");
        while (inside == there)
            sched_yield();
        struct timespec short_moment = { 0, 50000 };
        nanosleep(&short_moment, NULL);
        need(dvm_data_publish(id));
        pthread_join(thread, NULL);
        need(dvm_data_relax(id));
    }
    bench->seconds = cpu() - before;
    for (int i = 0; i < SLEEPERS; i++) {
        need(dvm_data_publish(data[i]));
        pthread_join(threads[i], NULL);
    }
    return bench->size;
}

static int written(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

/* A datum on each of some workers. */
static void spread(dvm_data_id_t *data, uint64_t count)
{
    dvm_processing_id_t processing;
    int out = DVM_OUT;
    need(dvm_processing_register_v(written, NULL, 1, "written", processing));
    need(dvm_processing_access(processing, &out));
    for (uint64_t i = 0; i < count; i++) {
        need(dvm_data_promise(8, &data[i]));
        need(dvm_sched_onto_v(ranks[i * (rank_count / count)], processing, &data[i], 1));
    }
    need(dvm_wait());
}

static uint64_t near(bench_t *bench, const char *synthetic, int inputs)
{
    static dvm_data_id_t data[MOST_RANKS];
    dvm_processing_id_t processing;
    begin(bench, synthetic);
    /* Not counted: there are more workers than counters. */
    need(dvm_processing_register_v(written, NULL, inputs, "near", processing));
    uint64_t homes = inputs > 1 ? HOMES : rank_count;
    spread(data, homes);
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(bench, pass);
        bench_start(bench);
        for (size_t i = 0; i < tasks; i++) {
            dvm_data_id_t *first = inputs > 1 ? data : &data[i % homes];
            for (int k = 0; k < inputs; k++)
                need(dvm_data_acquire(first[k]));
            need(dvm_sched_near(processing, first, inputs));
        }
        need(dvm_wait());
        bench_stop(bench);
    }
    return bench->size;
}

static uint64_t arguments(bench_t *bench, int count)
{
    static dvm_data_id_t data[MANY];
    dvm_processing_id_t processing;
    begin(bench, NULL);
    register_empty(count, processing);
    for (int k = 0; k < count; k++)
        number_new((uint64_t)k, &data[k]);
    for (int k = 0; k < count; k++)
        for (size_t i = 0; i < 2 * bench->size; i++)
            need(dvm_data_acquire(data[k]));
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(bench, pass);
        bench_start(bench);
        for (size_t i = 0; i < tasks; i++)
            need(dvm_sched_onto_v(ranks[i % rank_count], processing, data, count));
        need(dvm_wait());
        bench_stop(bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    return bench->size;
}

static int touch(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    *(volatile char *)bytes(ids[0]) = 1;
    return 0;
}

static size_t remote_size(size_t i) { return (size_t)4096 << i % 5; }

static int touch_malloc(void *context, dvm_data_id_t *ids, int count)
{
    (void)count;
    static size_t made; /* by the first worker alone */
    char *memory = calloc(1, remote_size(made++));
    (void)context;
    if (!memory)
        bench_fail("calloc", "there is not that much");
    *(volatile char *)memory = 1;
    *(char **)bytes(ids[0]) = memory;
    return 0;
}

static int drop_malloc(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    free(*(char **)bytes(ids[0]));
    bench_ran();
    return 0;
}

/* The first worker makes them, the last one frees them. */
static uint64_t remote(bench_t *bench, int with_malloc)
{
    dvm_processing_id_t make, drop;
    int out = DVM_OUT;
    begin(bench, NULL);
    need(dvm_processing_register_v(with_malloc ? touch_malloc : touch, NULL, 1, "make", make));
    need(dvm_processing_access(make, &out));
    need(dvm_processing_register_v(with_malloc ? drop_malloc : empty, NULL, 1, "drop", drop));
    for (int pass = 0; pass < 2; pass++) {
        size_t data = bench_size(bench, pass);
        bench_start(bench);
        for (size_t i = 0; i < data; i++) {
            dvm_data_id_t id;
            need(dvm_data_promise(with_malloc ? sizeof(char *) : remote_size(i), &id));
            need(dvm_sched_onto_v(ranks[0], make, &id, 1));
            need(dvm_sched_onto_v(ranks[rank_count - 1], drop, &id, 1));
            if (i % FLIGHT == FLIGHT - 1)
                need(dvm_wait());
        }
        need(dvm_wait());
        bench_stop(bench);
        bench_expect("tasks", bench_total(), data);
    }
    return bench->size;
}

static uint64_t waits(bench_t *bench, int tasks)
{
    dvm_processing_id_t processing;
    begin(bench, NULL);
    register_empty(0, processing);
    for (int pass = 0; pass < 2; pass++) {
        size_t times = bench_size(bench, pass);
        bench_start(bench);
        for (size_t i = 0; i < times; i++) {
            for (int k = 0; k < tasks; k++)
                need(dvm_sched_near(processing, NULL, 0));
            need(dvm_wait());
        }
        bench_stop(bench);
        bench_expect("tasks", bench_total(), times * (uint64_t)tasks);
    }
    return bench->size;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    const char *variant = bench.variant;
    uint64_t units = 0;
    int number = 0;
    if (!strcmp(variant, "gets"))
        units = gets(&bench);
    else if (!strcmp(variant, "sections"))
        units = sections(&bench);
    else if (!strcmp(variant, "sleepers"))
        units = sleepers(&bench);
    else if (!strcmp(variant, "near-16"))
        units = near(&bench, "pack:4 core:32 pu:2", HOMES);
    else if (!strcmp(variant, "near-1k"))
        units = near(&bench, "pack:8 core:64 pu:2", 1);
    else if (!strcmp(variant, "near-4k"))
        units = near(&bench, "pack:16 core:128 pu:2", 1);
    else if (sscanf(variant, "arguments-%d", &number) == 1 && number > 0 && number <= MANY)
        units = arguments(&bench, number);
    else if (!strcmp(variant, "remote"))
        units = remote(&bench, 0);
    else if (!strcmp(variant, "remote-malloc"))
        units = remote(&bench, 1);
    else if (sscanf(variant, "wait-%d", &number) == 1 && number > 0)
        units = waits(&bench, number);
    else
        bench_fail("variant", variant);
    dvm_retcode_t ended = dvm_finalize();
    need(ended);
    return bench_report(&bench, units);
}
