/* A Cholesky factorisation over two processes, by hand: the first one schedules all tasks, each where its tile lies. The
 * optional argument divides all numbers. */
#include "cholesky.h"
#include "rows.h"

#include <dvm.h>
#include <string.h>

enum { MOST = 32 };

static dvm_rank_t ranks[2];
static dvm_processing_id_t make, factor, solve, update;
static dvm_data_id_t tile[MOST][MOST];

static void need(int code, const char *what)
{
    if (code) {
        fprintf(stderr, "%s: %s\n", what, dvm_last_error());
        exit(EXIT_FAILURE);
    }
}
#define NEED(call) need(call, #call)

static double *values(dvm_data_id_t id, int *edge)
{
    void *bytes;
    size_t size;
    NEED(dvm_data_get(id, &bytes, &size));
    *edge = (int)sqrt((double)(size / sizeof(double)));
    return bytes;
}

static int do_make(dvm_data_id_t place, dvm_data_id_t made)
{
    int edge, *where;
    size_t size;
    NEED(dvm_data_get(place, (void **)&where, &size));
    double *a = values(made, &edge);
    fill_tile(a, where[0], where[1], edge, where[2]);
    return 0;
}

static int do_factor(dvm_data_id_t before, dvm_data_id_t after)
{
    int edge;
    (void)before;
    double *a = values(after, &edge);
    factor_tile(a, edge);
    return 0;
}

static int do_solve(dvm_data_id_t l, dvm_data_id_t before, dvm_data_id_t after)
{
    int edge;
    (void)before;
    double *a = values(after, &edge);
    solve_tile(values(l, &edge), a, edge);
    return 0;
}

static int do_update(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t before, dvm_data_id_t after)
{
    int edge;
    (void)before;
    double *c = values(after, &edge);
    update_tile(values(a, &edge), values(b, &edge), c, edge);
    return 0;
}

/* Schedules a task that changes a tile, after `count` tiles that it reads. */
static void change(dvm_processing_id_t p, int i, int j, int count, dvm_data_id_t *read[])
{
    dvm_data_id_t ids[4];
    for (int at = 0; at < count; at++) {
        memcpy(ids[at], *read[at], sizeof ids[at]);
        NEED(dvm_data_acquire(ids[at]));
    }
    memcpy(ids[count], tile[i][j], sizeof ids[0]);
    NEED(dvm_data_next(ids[count], (uint64_t(*)[2])ids[count + 1]));
    NEED(dvm_sched_onto_v(ranks[owner_of(i, j)], p, ids, count + 2));
    memcpy(tile[i][j], ids[count + 1], sizeof ids[0]);
}

static void fill(int edge, int tiles)
{
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            dvm_data_id_t ids[2];
            int *where;
            size_t size;
            NEED(dvm_data_allocate(3 * sizeof *where, (uint64_t(*)[2])ids[0]));
            NEED(dvm_data_get(ids[0], (void **)&where, &size));
            where[0] = i, where[1] = j, where[2] = tiles;
            NEED(dvm_data_put(ids[0]));
            NEED(dvm_data_promise(sizeof(double) * edge * edge, (uint64_t(*)[2])ids[1]));
            NEED(dvm_sched_onto_v(ranks[owner_of(i, j)], make, ids, 2));
            memcpy(tile[i][j], ids[1], sizeof ids[1]);
        }
    NEED(dvm_wait());
}

static double factorise(int tiles)
{
    double start = seconds();
    for (int k = 0; k < tiles; k++) {
        change(factor, k, k, 0, NULL);
        for (int i = k + 1; i < tiles; i++)
            change(solve, i, k, 1, (dvm_data_id_t *[]){&tile[k][k]});
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++)
                change(update, i, j, 2, (dvm_data_id_t *[]){&tile[i][k], &tile[j][k]});
    }
    NEED(dvm_wait());
    return seconds() - start;
}

static void measure(int which, long divided)
{
    int edge = sizes_of[which].edge, tiles = tiles_of(which, divided), found;
    double least = 1e9;
    for (int run = 0; run < 3; run++) {
        fill(edge, tiles);
        double took = factorise(tiles);
        least = took < least ? took : least;
        double *last = values(tile[tiles - 1][tiles - 1], &found);
        check_last(last[edge * edge - 1], edge, tiles);
        NEED(dvm_data_put(tile[tiles - 1][tiles - 1]));
        for (int i = 0; i < tiles; i++)
            for (int j = 0; j <= i; j++)
                NEED(dvm_data_relax(tile[i][j]));
    }
    row(names_of[which], least * 1e6);
}

static void changes(int (*callback)(), int count, const char *name, dvm_processing_id_t p)
{
    int modes[4] = {DVM_IN, DVM_IN, DVM_IN, DVM_IN};
    modes[count - 1] = DVM_OUT;
    NEED(dvm_processing_register(DVM_CALLBACK(callback), count, (char *)name, p));
    NEED(dvm_processing_access(p, modes));
}

int main(int argc, char **argv)
{
    uint64_t me, count, all;
    NEED(dvm_init());
    NEED(dvm_process(&me, &count));
    NEED(dvm_rank_count(&all));
    NEED(dvm_rank_at(0, ranks[0], DVM_MAX_RANK_DEPTH));
    NEED(dvm_rank_at(all - 1, ranks[1], DVM_MAX_RANK_DEPTH));
    changes(do_make, 2, "make", make);
    changes(do_factor, 2, "factor", factor);
    changes(do_solve, 3, "solve", solve);
    changes(do_update, 4, "update", update);
    if (me)
        NEED(dvm_serve());
    else
        for (int which = 0; which < 2; which++)
            measure(which, argc > 1 ? atol(argv[1]) : 1);
    NEED(dvm_finalize());
    return EXIT_SUCCESS;
}
