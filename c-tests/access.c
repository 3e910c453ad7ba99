/* Arguments that the program keeps (DVM_READ) or updates (DVM_INOUT), names of data, and what the header has for ids. */
#include "check.h"

#include <stdlib.h>

static atomic_int freed;

static void release(void *at, size_t size)
{
    memset(at, 0xee, size);
    free(at);
    atomic_fetch_add(&freed, 1);
}

static void registered(int64_t value, dvm_data_id_t id)
{
    int64_t *at = malloc(sizeof *at);
    *at = value;
    CHECK_OK(dvm_data_register(at, sizeof *at, release, (dvm_data_id_t *)id));
}

static int64_t *number_at(dvm_data_id_t id)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(id, &at, &size));
    CHECK_NUMBER(sizeof(int64_t), size);
    return at;
}

/* ----- plain callbacks: one id for each argument ----- */

/* total = total * 10 + factor */
static int append(dvm_data_id_t factor, dvm_data_id_t total)
{
    int64_t *at = number_at(total);
    *at = *at * 10 + *number_at(factor);
    return 0;
}

static int copies(dvm_data_id_t from, dvm_data_id_t to)
{
    *number_at(to) = *number_at(from);
    return 0;
}

static void plain_callbacks(void)
{
    dvm_processing_id_t appends, copy;
    dvm_data_id_t three, total, early, old;
    dvm_rank_t rank;

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(append), 2, "append", appends));
    CHECK_OK(dvm_processing_access(appends, (int[]){DVM_READ, DVM_INOUT}));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(copies), 2, "copies", copy));
    CHECK_OK(dvm_processing_access(copy, (int[]){DVM_READ, DVM_OUT}));
    atomic_store(&freed, 0);
    registered(3, three);
    registered(0, total);
    dvm_id_copy(old, total);
    for (uint64_t k = 0; k < 6; k++) {
        dvm_data_id_t ids[2], before;
        dvm_id_copy(before, total);
        nth_rank(k, rank);
        dvm_id_copy(ids[0], three);
        dvm_id_copy(ids[1], total);
        if (k == 3) { /* it reads the total of three digits, however late it runs */
            dvm_data_id_t reads[2];
            CHECK_OK(dvm_data_promise(8, &early));
            dvm_id_copy(reads[0], total);
            dvm_id_copy(reads[1], early);
            CHECK_OK(dvm_sched_near(copy, reads, 2));
        }
        if (k % 3 == 0) {
            CHECK_OK(DVM_SCHED_ONTO(2, rank, appends, three, total));
        } else {
            CHECK_OK(k % 3 == 1 ? dvm_sched_near(appends, ids, 2) : dvm_sched_onto_v(rank, appends, ids, 2));
            CHECK(dvm_id_equal(ids[0], three));
            dvm_id_copy(total, ids[1]);
        }
        CHECK(!dvm_id_equal(before, total) && !dvm_id_is_none(total));
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(333333, number_in(total));
    CHECK_NUMBER(333, number_in(early));
    CHECK_CODE(DVM_ERR_ID, dvm_data_acquire(old));
    CHECK_OK(dvm_data_relax(three));
    CHECK_OK(dvm_data_relax(early));
    CHECK_OK(dvm_data_relax(total));
    /* Whether or not the copy has held the memory back, each datum was freed once. */
    CHECK_NUMBER(2, atomic_load(&freed));
    CHECK_OK(dvm_processing_unregister(&appends));
    CHECK_OK(dvm_processing_unregister(&copy));
}

/* ----- in place ----- */

static int64_t *first_place;

static int touches(dvm_data_id_t total)
{
    int64_t *at = number_at(total);
    CHECK(at == first_place);
    *at += 1;
    return 0;
}

static void nothing_is_copied(void)
{
    dvm_processing_id_t touch;
    dvm_data_id_t total;

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(touches), 1, "touch", touch));
    CHECK_OK(dvm_processing_access(touch, (int[]){DVM_INOUT}));
    registered(0, total);
    first_place = number_at(total);
    CHECK_OK(dvm_data_put(total));
    for (int k = 0; k < 100; k++)
        CHECK_OK(dvm_sched_near(touch, &total, 1));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(100, number_in(total));
    CHECK_OK(dvm_data_relax(total));
}

/* ----- the old version beside the new one ----- */

static int doubles(dvm_data_id_t a, dvm_data_id_t total, dvm_data_id_t b)
{
    int64_t *now = number_at(total), *old = number_at(a), before = *now;
    CHECK(now != old && now != number_at(b));
    *now = -1;
    CHECK(*old == before && *number_at(b) == before);
    *now = *old + *number_at(b);
    return 0;
}

/* Whether or not somebody else refers to it. */
static void old_and_new(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t total, kept;

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(doubles), 3, "doubles", p));
    CHECK_OK(dvm_processing_access(p, (int[]){DVM_READ, DVM_INOUT, DVM_IN}));
    atomic_store(&freed, 0);
    registered(1, total);
    for (int k = 0; k < 10; k++) {
        dvm_data_id_t ids[3];
        CHECK_OK(dvm_data_acquire(total)); /* for the third argument */
        if (k == 4) {
            dvm_id_copy(kept, total);
            CHECK_OK(dvm_data_acquire(kept));
        }
        for (int i = 0; i < 3; i++)
            dvm_id_copy(ids[i], total);
        CHECK_OK(dvm_sched_near(p, ids, 3));
        CHECK(dvm_id_equal(ids[0], total) && dvm_id_equal(ids[2], total));
        dvm_id_copy(total, ids[1]);
    }
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1024, number_in(total));
    CHECK_NUMBER(16, number_in(kept));
    CHECK_OK(dvm_data_relax(total));
    CHECK_OK(dvm_data_relax(kept));
    CHECK_NUMBER(1, atomic_load(&freed));
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- many arguments, of all kinds ----- */

enum { MANY = 90 };

/* Every third is updated, and gets the sum of its neighbours to the left and right. */
static int neighbours(void *context, dvm_data_id_t *ids, int count)
{
    CHECK_NUMBER(MANY, count);
    CHECK_NUMBER(7, (uintptr_t)context);
    for (int k = 0; k + 2 < count; k += 3) {
        int64_t *at = number_at(ids[k + 1]);
        *at += *number_at(ids[k]) + *number_at(ids[k + 2]);
    }
    return 0;
}

static void many_arguments(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t ids[MANY], before[MANY];
    int modes[MANY];

    for (int k = 0; k < MANY; k++)
        modes[k] = (int[]){DVM_READ, DVM_INOUT, DVM_IN}[k % 3];
    CHECK_OK(dvm_processing_register_v(neighbours, (void *)7, MANY, "neighbours", p));
    CHECK_OK(dvm_processing_access(p, modes));
    atomic_store(&freed, 0);
    for (int k = 0; k < MANY; k++)
        registered(k, ids[k]);
    memcpy(before, ids, sizeof ids);
    for (int round = 0; round < 2; round++) {
        for (int k = 2; k < MANY; k += 3) /* the reference that the task takes over */
            CHECK_OK(dvm_data_acquire(ids[k]));
        CHECK_OK(dvm_sched_near(p, ids, MANY));
    }
    CHECK_OK(dvm_wait());
    for (int k = 0; k < MANY; k++) {
        CHECK(dvm_id_equal(before[k], ids[k]) == (k % 3 != 1));
        CHECK_NUMBER(k % 3 == 1 ? k + 2 * (2 * k) : k, number_in(ids[k]));
        CHECK_OK(dvm_data_relax(ids[k]));
    }
    CHECK_NUMBER(MANY, atomic_load(&freed));
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- what fails changes nothing ----- */

static int fails(dvm_data_id_t total)
{
    *number_at(total) = -1;
    return 1;
}

static void refused(void)
{
    dvm_processing_id_t p, bad;
    dvm_data_id_t ids[3], before[3];
    dvm_rank_t rank, nowhere;

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(append), 3, "three", p));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(p, (int[]){DVM_READ, DVM_INOUT, 4}));
    CHECK_MENTIONS("DVM_INOUT");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(p, (int[]){DVM_READ, DVM_INOUT, -1}));
    CHECK_OK(dvm_processing_access(p, (int[]){DVM_READ, DVM_INOUT, DVM_INOUT}));
    CHECK_OK(dvm_processing_access(p, (int[]){DVM_READ, DVM_INOUT, DVM_IN})); /* until the first task */
    nth_rank(0, rank);
    memset(nowhere, 0xff, sizeof nowhere);
    for (int k = 0; k < 3; k++)
        registered(k, ids[k]);
    memcpy(before, ids, sizeof ids);
    atomic_store(&freed, 0);
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_near(p, ids, 2));
    CHECK_MENTIONS("3 arguments");
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(rank, p, ids, 4));
    CHECK_CODE(DVM_ERR_RANK, dvm_sched_onto_v(nowhere, p, ids, 3));
    dvm_id_copy(ids[2], (uint64_t[2]){0, 0}); /* found last, when the others have been made */
    CHECK_CODE(DVM_ERR_ID, dvm_sched_near(p, ids, 3));
    CHECK_CODE(DVM_ERR_ID, dvm_sched_onto(rank, p, ids[0], ids[1], ids[2]));
    CHECK(dvm_id_equal(before[0], ids[0]) && dvm_id_equal(before[1], ids[1]));
    dvm_id_copy(ids[2], ids[1]); /* one reference for two arguments */
    CHECK_CODE(DVM_ERR_NO_REFERENCE, dvm_sched_near(p, ids, 3));
    CHECK(dvm_id_equal(before[1], ids[1]) && dvm_id_equal(before[1], ids[2]));
    for (int k = 0; k < 3; k++)
        CHECK_OK(dvm_data_relax(before[k]));
    CHECK_NUMBER(3, atomic_load(&freed)); /* no reference stays */

    /* A task that fails poisons what it updates. */
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(fails), 1, "fails", bad));
    CHECK_OK(dvm_processing_access(bad, (int[]){DVM_INOUT}));
    registered(1, ids[0]);
    CHECK_OK(dvm_sched_near(bad, &ids[0], 1));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(ids[0], &(void *){0}, &(size_t){0}));
    CHECK_OK(dvm_data_relax(ids[0]));
    CHECK_NUMBER(4, atomic_load(&freed));
}

/* ----- names ----- */

static int fails_on(dvm_data_id_t left, dvm_data_id_t made)
{
    (void)left, (void)made;
    return 7;
}

/* What a wait tells of a task that fails: the data, by id and name, and how the task has them. */
static void failures_name_their_data(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t ids[2], left;
    char text[200];

    registered(1, left);
    CHECK_OK(dvm_data_name(left, "left"));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(fails_on), 2, "fails on", p));
    CHECK_OK(dvm_processing_access(p, (int[]){DVM_READ, DVM_OUT}));
    CHECK_OK(dvm_data_promise(8, &ids[1]));
    dvm_id_copy(ids[0], left);
    CHECK_OK(dvm_sched_near(p, ids, 2));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    snprintf(text, sizeof text, "(in datum {%" PRIu64 ", %" PRIu64 "} 'left', out datum {%" PRIu64 ", %" PRIu64 "})", left[0],
             left[1], ids[1][0], ids[1][1]);
    CHECK_MENTIONS("processing 'fails on' returned 7 on rank ");
    CHECK_MENTIONS(text);
    CHECK_OK(dvm_data_relax(ids[1]));
    CHECK_OK(dvm_data_relax(left));
}

static void names(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t tile, lost;
    char text[200];
    static char explanation[100000];
    size_t needed = 0;

    registered(1, tile);
    CHECK_OK(dvm_data_name(tile, "tile (3, 4)"));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(tile));
    CHECK_MENTIONS(" 'tile (3, 4)'");
    CHECK_OK(dvm_data_name(tile, "two\nlines"));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(tile));
    CHECK_MENTIONS("'two lines'");
    CHECK_OK(dvm_data_name(tile, NULL));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(tile));
    CHECK(strchr(dvm_last_error(), '\'') == NULL);

    /* The versions of a datum are called as it is; the explanation says so. */
    CHECK_OK(dvm_data_name(tile, "tile"));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(append), 2, "append", p));
    CHECK_OK(dvm_processing_access(p, (int[]){DVM_READ, DVM_INOUT}));
    CHECK_OK(dvm_data_promise(8, &lost));
    CHECK_OK(dvm_data_name(lost, "what nobody makes"));
    dvm_data_id_t ids[2];
    dvm_id_copy(ids[0], lost);
    dvm_id_copy(ids[1], tile);
    CHECK_OK(dvm_sched_near(p, ids, 2));
    CHECK_CODE(DVM_ERR_STATE, dvm_data_put(ids[1]));
    CHECK_MENTIONS("'tile'");
    CHECK_OK(dvm_explain_text(explanation, sizeof explanation, &needed));
    snprintf(text, sizeof text, "datum {%" PRIu64 ", %" PRIu64 "} 'what nobody makes'", lost[0], lost[1]);
    CHECK(strstr(explanation, text) != NULL);
    void *at;
    size_t size;
    CHECK_OK(dvm_data_write(lost, &at, &size));
    *(int64_t *)at = 5;
    CHECK_OK(dvm_data_publish(lost));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(15, number_in(ids[1]));
    CHECK_OK(dvm_data_relax(ids[1]));
    CHECK_OK(dvm_data_relax(lost));
    CHECK_CODE(DVM_ERR_ID, dvm_data_name(lost, "freed"));
}

int main(void)
{
    CHECK_OK(dvm_init());
    plain_callbacks();
    nothing_is_copied();
    old_and_new();
    many_arguments();
    refused();
    names();
    failures_name_their_data();
    CHECK_OK(dvm_finalize());
    return check_end("access");
}
