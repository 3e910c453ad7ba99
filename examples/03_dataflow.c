/* 03 data-flow: tasks that wait for each other's results, scheduled in any order.
 *
 * A promise is a datum whose bytes do not exist yet. A task that reads it starts after its publication, and takes no core
 * until then; the task with the promise as an output publishes it when it ends. So the program below can schedule
 * its tasks from the last to the first.
 *
 * A datum is written once. Where a loop would update one variable, use dvm_data_next(): a promise that takes over the memory of
 * an existing datum. If no other task or program part reads the old value, nothing is copied.
 *
 *     start -> halve -> h -+
 *                          +-> add -> s;   s -> double -> double -> double -> s''', in one place of memory
 *     start -> square -> q +                                                                                      */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

enum { DOUBLINGS = 3 };

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

/* The number behind an identifier. A failing get would be a bug in this program, so it ends the program. */
static double *number(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    check(dvm_data_get(id, &memory, &size));
    return memory;
}

static int halve(dvm_data_id_t x, dvm_data_id_t out)
{
    *number(out) = *number(x) / 2;
    return 0;
}

static int square(dvm_data_id_t x, dvm_data_id_t out)
{
    *number(out) = *number(x) * *number(x);
    return 0;
}

static int add(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t out)
{
    *number(out) = *number(a) + *number(b);
    return 0;
}

/* `after` takes over the memory of `before`: it begins with the same bytes, here even at the same address. */
static int double_in_place(dvm_data_id_t before, dvm_data_id_t after)
{
    (void)before;
    *number(after) *= 2;
    return 0;
}

static void register_as(int (*callback)(), int arguments, char *name, dvm_processing_id_t id)
{
    int access[] = {DVM_IN, DVM_IN, DVM_IN};
    access[arguments - 1] = DVM_OUT;
    check(dvm_processing_register(callback, arguments, name, id));
    check(dvm_processing_access(id, access));
}

int main(void)
{
    dvm_processing_id_t halve_id, square_id, add_id, double_id;
    dvm_data_id_t start, h, q, sum[1 + DOUBLINGS];
    dvm_rank_t rank;
    void *memory;
    size_t size;

    check(dvm_init());
    check(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH));
    register_as(DVM_CALLBACK(halve), 2, "halve", halve_id);
    register_as(DVM_CALLBACK(square), 2, "square", square_id);
    register_as(DVM_CALLBACK(add), 3, "add", add_id);
    register_as(DVM_CALLBACK(double_in_place), 2, "double", double_id);

    check(dvm_data_promise(sizeof(double), &start));
    check(dvm_data_acquire(start)); /* two tasks read it */
    check(dvm_data_promise(sizeof(double), &h));
    check(dvm_data_promise(sizeof(double), &q));
    check(dvm_data_promise(sizeof(double), &sum[0]));
    for (int i = 0; i < DOUBLINGS; i++)
        check(dvm_data_next(sum[i], &sum[i + 1]));

    /* From the last to the first. dvm_sched_near() lets the library choose the core nearest to the data. */
    for (int i = DOUBLINGS; i > 0; i--)
        check(dvm_sched_onto(rank, double_id, sum[i - 1], sum[i]));
    check(dvm_sched_near(add_id, (dvm_data_id_t[]){{h[0], h[1]}, {q[0], q[1]}, {sum[0][0], sum[0][1]}}, 3));
    check(dvm_sched_onto(rank, square_id, start, q));
    check(dvm_sched_onto(rank, halve_id, start, h));
    printf("All tasks are scheduled, and all of them wait for one number.\n");

    /* The program may also fulfil a promise itself: write, then publish. This starts the whole chain. */
    check(dvm_data_write(start, &memory, &size));
    *(double *)memory = 6;
    check(dvm_data_publish(start));

    /* Outside of tasks a get waits for the publication. */
    printf("((6 / 2) + (6 * 6)) doubled %d times: %g\n", DOUBLINGS, *number(sum[DOUBLINGS]));
    check(dvm_data_put(sum[DOUBLINGS]));
    check(dvm_data_relax(sum[DOUBLINGS]));

    check(dvm_wait());
    check(dvm_finalize());
    return 0;
}
