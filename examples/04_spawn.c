/* 04 spawn: tasks that create data and tasks. Nobody knows all of the work beforehand, and no core fills lists for the
 * others: one task is scheduled, and the computation deploys itself over the machine.
 *
 * It counts the primes below a limit. A range that is too long is split: the task schedules itself on both halves, and
 * a third task that adds what the halves will have found. An identifier is a value, so it can travel inside a datum: each range
 * says where its count shall go. */
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

/* Creates a range and schedules the task that counts in it. Called by main for the whole, by tasks for the parts. */
static void spawn(int first, int past, dvm_data_id_t answer)
{
    dvm_data_id_t range;
    range_t *work;

    check(dvm_data_allocate(sizeof *work, &range));
    work = bytes(range);
    *work = (range_t){first, past, {answer[0], answer[1]}};
    check(dvm_data_put(range));
    /* Near its data, and idle cores may steal it. The task has the only reference: the range goes when the task ends. */
    check(dvm_sched_near(count_id, &range, 1));
}

static int is_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n >= 2;
}

/* The task that counts, or splits. */
static int count_primes(dvm_data_id_t range)
{
    range_t *work = bytes(range);

    if (work->past - work->first > SHORT_ENOUGH) {
        int middle = work->first + (work->past - work->first) / 2;
        dvm_data_id_t part[3]; /* the two halves' counts, and where their sum goes */

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
    check(dvm_data_write(work->answer, &answer, &size)); /* not an output of this task: kept by hand */
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
    check(dvm_wait()); /* also for the tasks that tasks have scheduled */

    printf("There are %ld primes below %d.\n", *(long *)bytes(answer), LIMIT);
    check(dvm_data_put(answer));
    check(dvm_data_relax(answer));
    check(dvm_finalize());
    return 0;
}
