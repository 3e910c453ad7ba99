/* Tasks and data between two processes, the first of which measures. The optional argument divides all numbers. */
#include "rows.h"

#include <dvm.h>
#include <string.h>
#include <unistd.h>

static dvm_rank_t here, there;
static dvm_processing_id_t hop, carry, look, nothing, touch, read_pages, step_left, step_right;
static long hops;

static void need(int code, const char *what)
{
    if (code) {
        fprintf(stderr, "%s: %s\n", what, dvm_last_error());
        exit(EXIT_FAILURE);
    }
}
#define NEED(call) need(call, #call)

static int is_first(void)
{
    uint64_t me, count;
    NEED(dvm_process(&me, &count));
    return me == 0;
}

static int do_nothing(void)
{
    return 0;
}

static int do_touch(dvm_data_id_t id)
{
    (void)id;
    return 0;
}

/* Reads a byte of each page. */
static int do_read(dvm_data_id_t id)
{
    char *bytes;
    size_t size;
    if (dvm_data_get(id, (void **)&bytes, &size))
        return 1;
    for (size_t at = 0; at < size; at += 4096)
        if (bytes[at] != 1)
            return 2;
    return 0;
}

/* Goes to and fro between the processes, until the first one has counted all. */
static int do_hop(void)
{
    int first = is_first();
    if (first && --hops <= 0)
        return 0;
    return dvm_sched_onto(first ? there : here, hop);
}

/* Sent with a datum of the first process; sends an empty task back. */
static dvm_data_id_t carried;
static int do_carry(dvm_data_id_t id)
{
    (void)id;
    return dvm_sched_onto(here, look);
}

static int do_look(void)
{
    if (--hops <= 0)
        return 0;
    return dvm_sched_onto(there, carry, carried);
}

/* One value of a ring from three of the step before. */
static int do_step(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t c, dvm_data_id_t to)
{
    double *in[3], *out;
    size_t size;
    if (dvm_data_get(a, (void **)&in[0], &size) || dvm_data_get(b, (void **)&in[1], &size) ||
        dvm_data_get(c, (void **)&in[2], &size) || dvm_data_get(to, (void **)&out, &size))
        return 1;
    *out = (*in[0] + *in[1] + *in[2]) / 3;
    return 0;
}

static void new_datum(size_t size, long references, dvm_data_id_t id)
{
    char *bytes;
    size_t found;
    NEED(dvm_data_allocate(size, (uint64_t(*)[2])id));
    NEED(dvm_data_get(id, (void **)&bytes, &found));
    memset(bytes, 1, size);
    NEED(dvm_data_put(id));
    for (long i = 1; i < references; i++)
        NEED(dvm_data_acquire(id));
}

static double hopped(long number, dvm_processing_id_t first)
{
    hops = number;
    double start = seconds();
    if (first == carry)
        NEED(dvm_sched_onto(there, first, carried));
    else
        NEED(dvm_sched_onto(there, first));
    NEED(dvm_wait());
    return (seconds() - start) / (double)number * 1e6;
}

static void round_trips(long number)
{
    hopped(number / 10, hop);
    row("empty-round-trip", hopped(number, hop));
    size_t sizes[] = {8, 4096};
    const char *names[] = {"8B-round-trip", "4KiB-round-trip"};
    for (int i = 0; i < 2; i++) {
        new_datum(sizes[i], number, carried);
        row(names[i], hopped(number, carry));
    }
}

static void one_direction(long number)
{
    double start = seconds();
    for (long i = 0; i < number; i++)
        NEED(dvm_sched_onto(there, nothing));
    NEED(dvm_wait());
    row("empty-one-way", (seconds() - start) / (double)number * 1e6);
    dvm_data_id_t id;
    new_datum(8, number, id);
    start = seconds();
    for (long i = 0; i < number; i++)
        NEED(dvm_sched_onto(there, touch, id));
    NEED(dvm_wait());
    row("8B-one-way", (seconds() - start) / (double)number * 1e6);
}

/* `count` data, one after the other, after one that warms up, each for a first task that reads it: as MPI's buffer, their
 * memory was used before. The last one then for later tasks. */
static void large(size_t size, int count, const char *first, const char *again)
{
    enum { LATER = 20 };
    double took = 0;
    for (int i = 0; i <= count; i++) {
        dvm_data_id_t id;
        new_datum(size, LATER + 2, id);
        double start = seconds();
        NEED(dvm_sched_onto(there, read_pages, id));
        NEED(dvm_wait());
        took += i > 0 ? seconds() - start : 0;
        start = seconds();
        for (int later = 0; later < LATER; later++)
            NEED(dvm_sched_onto(there, touch, id));
        NEED(dvm_wait());
        if (i == count)
            row(again, (seconds() - start) / LATER * 1e6);
        NEED(dvm_data_relax(id));
    }
    row(first, took / count * 1e6);
}

/* All processes wait, with nothing left. */
static void waits(long number)
{
    double start = seconds();
    for (long i = 0; i < number; i++)
        NEED(dvm_wait());
    if (is_first())
        row("wait", (seconds() - start) / (double)number * 1e6);
}

static void waking(void)
{
    double best = 1e9;
    for (int i = 0; i < 10; i++) {
        usleep(20000);
        double start = seconds();
        NEED(dvm_sched_onto(there, nothing));
        NEED(dvm_wait());
        double took = (seconds() - start) * 1e6;
        best = took < best ? took : best;
    }
    row("wake", best);
}

enum { WIDTH = 64 };

/* A ring of 64 values, each half in one process. */
static void stencil(long steps)
{
    static dvm_data_id_t now[WIDTH], next[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        new_datum(8, 3, now[i]);
    double start = seconds();
    for (long step = 0; step < steps; step++) {
        int last = step + 1 == steps;
        for (int i = 0; i < WIDTH; i++) {
            NEED(dvm_data_promise(8, (uint64_t(*)[2])next[i]));
            for (int more = 1; more < (last ? 1 : 3); more++)
                NEED(dvm_data_acquire(next[i]));
            NEED(dvm_sched_onto(i < WIDTH / 2 ? here : there, i < WIDTH / 2 ? step_left : step_right,
                                now[(i + WIDTH - 1) % WIDTH], now[i], now[(i + 1) % WIDTH], next[i]));
        }
        memcpy(now, next, sizeof now);
    }
    NEED(dvm_wait());
    row("stencil", (seconds() - start) / (double)(steps * WIDTH) * 1e6);
    for (int i = 0; i < WIDTH; i++) {
        double *value;
        size_t size;
        NEED(dvm_data_get(now[i], (void **)&value, &size));
        double expected;
        memset(&expected, 1, sizeof expected);
        if (*value < expected * 0.999 || *value > expected * 1.001) {
            fprintf(stderr, "stencil: value %d is %g\n", i, *value);
            exit(EXIT_FAILURE);
        }
        NEED(dvm_data_put(now[i]));
        NEED(dvm_data_relax(now[i]));
    }
}

int main(int argc, char **argv)
{
    uint64_t ranks;
    int modes[] = {DVM_IN, DVM_IN, DVM_IN, DVM_OUT};
    NEED(dvm_init());
    NEED(dvm_rank_count(&ranks));
    NEED(dvm_rank_at(0, here, DVM_MAX_RANK_DEPTH));
    NEED(dvm_rank_at(ranks - 1, there, DVM_MAX_RANK_DEPTH));
    NEED(dvm_processing_register(DVM_CALLBACK(do_hop), 0, "hop", hop));
    NEED(dvm_processing_register(DVM_CALLBACK(do_carry), 1, "carry", carry));
    NEED(dvm_processing_register(DVM_CALLBACK(do_look), 0, "look", look));
    NEED(dvm_processing_register(DVM_CALLBACK(do_nothing), 0, "nothing", nothing));
    NEED(dvm_processing_register(DVM_CALLBACK(do_touch), 1, "touch", touch));
    NEED(dvm_processing_register(DVM_CALLBACK(do_read), 1, "read", read_pages));
    NEED(dvm_processing_register(DVM_CALLBACK(do_step), 4, "left", step_left));
    NEED(dvm_processing_access(step_left, modes));
    NEED(dvm_processing_register(DVM_CALLBACK(do_step), 4, "right", step_right));
    NEED(dvm_processing_access(step_right, modes));
    waits(repeated(argc, argv, 2000));
    if (!is_first()) {
        NEED(dvm_serve());
    } else {
        round_trips(repeated(argc, argv, 20000));
        one_direction(repeated(argc, argv, 200000));
        large(1 << 20, 20, "1MiB", "1MiB-again");
        large(64 << 20, 3, "64MiB", "64MiB-again");
        stencil(repeated(argc, argv, 2000));
        waking();
    }
    NEED(dvm_finalize());
    return EXIT_SUCCESS;
}
