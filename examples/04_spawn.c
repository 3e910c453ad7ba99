/* 04 spawn: tasks that create data and tasks. The work is not known in advance, and no core makes lists of it for the
 * others: main schedules one task, and the computation spreads over the machine.
 *
 * The program counts the primes below a limit. A task splits a long range: it schedules itself on both halves, and
 * a third task that adds their counts. An identifier is a value, so it can be stored in a datum: each range contains the
 * identifier for its count. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 200000, SHORT_ENOUGH = 5000 };

/* The datum that describes one piece of work. */
typedef struct {
    int first, past;      /* the numbers first .. past - 1 */
    dvm_data_id_t answer; /* the promise of their count */
} range_t;

static dvm_processing_id_t count_id, add_id;

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

static void *bytes(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    check(dvm_data_get(id, &memory, &size));
    return memory;
}

/* Creates a range and schedules the task that counts in it. main calls this for the whole range, tasks for parts. */
static void spawn(int first, int past, dvm_data_id_t answer)
{
    dvm_data_id_t range;
    range_t *work;

    check(dvm_data_allocate(sizeof *work, &range));
    work = bytes(range);
    *work = (range_t){first, past, {answer[0], answer[1]}};
    check(dvm_data_put(range));
    /* The task runs near its data, unless an idle core steals it. It has the only reference: the range goes when it ends. */
    check(dvm_sched_near(count_id, &range, 1));
}

static int is_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n >= 2;
}

/* The task: counts, or splits the range. */
static int count_primes(dvm_data_id_t range)
{
    range_t *work = bytes(range);

    if (work->past - work->first > SHORT_ENOUGH) {
        int middle = work->first + (work->past - work->first) / 2;
        dvm_data_id_t part[3]; /* the two halves' counts, and their sum */

        check(dvm_data_promise(sizeof(long), &part[0]));
        check(dvm_data_promise(sizeof(long), &part[1]));
        part[2][0] = work->answer[0];
        part[2][1] = work->answer[1];
        check(dvm_sched_near(add_id, part, 3)); /* waits for both, without a core */
        spawn(work->first, middle, part[0]);
        spawn(middle, work->past, part[1]);
        return 0;
    }

    void *answer;
    size_t size;
    long found = 0;
    for (int n = work->first; n < work->past; n++)
        found += is_prime(n);
    check(dvm_data_write(work->answer, &answer, &size)); /* not an output of this task: written by hand */
    *(long *)answer = found;
    check(dvm_data_publish(work->answer));
    return 0;
}

static int add(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t sum)
{
    *(long *)bytes(sum) = *(long *)bytes(a) + *(long *)bytes(b);
    return 0;
}

int main(void)
{
    dvm_data_id_t answer;
    int access[] = {DVM_IN, DVM_IN, DVM_OUT};

    check(dvm_init());
    check(dvm_processing_register(DVM_CALLBACK(count_primes), 1, "count primes", count_id));
    check(dvm_processing_register(DVM_CALLBACK(add), 3, "add", add_id));
    check(dvm_processing_access(add_id, access));

    check(dvm_data_promise(sizeof(long), &answer));
    spawn(0, LIMIT, answer);
    check(dvm_wait()); /* also waits for the tasks that tasks scheduled */

    printf("There are %ld primes below %d.\n", *(long *)bytes(answer), LIMIT);
    check(dvm_data_put(answer));
    check(dvm_data_relax(answer));
    check(dvm_finalize());
    return 0;
}
