/* 02 data: give memory to the library, count its readers, learn when it is free again.
 *
 * A datum is a piece of memory with an identifier that is valid on the whole machine. It counts its references: it starts
 * with one; a scheduled task takes one from each datum that it reads, and drops it when it ends. The datum goes with its
 * last reference. Three tasks read the array below, so it needs two references more than it starts with. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000, READERS = 3 };

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

/* Runs once, when no task uses the memory any more: the program may free or reuse it here. */
static void array_is_free(void *address, size_t size)
{
    double *array = address;
    printf("The array of %zu bytes is free again; its last element is %g.\n", size, array[LENGTH - 1]);
}

/* The task: reads `input`, and leaves the sum of every third element in `result`.
 * A task gets identifiers; dvm_data_get() returns the memory behind one, valid until the task ends. */
static int sum_of_a_third(dvm_data_id_t input, dvm_data_id_t which, dvm_data_id_t result)
{
    void *array, *offset, *sum;
    size_t bytes, ignored;
    double total = 0;

    if (dvm_data_get(input, &array, &bytes) != DVM_SUCCESS || dvm_data_get(which, &offset, &ignored) != DVM_SUCCESS ||
        dvm_data_get(result, &sum, &ignored) != DVM_SUCCESS)
        return 1; /* the task has failed; dvm_wait() will say so */
    for (size_t i = *(int *)offset; i < bytes / sizeof total; i += READERS)
        total += ((double *)array)[i];
    *(double *)sum = total;
    return 0;
}

int main(void)
{
    static double array[LENGTH];
    int access[] = {DVM_IN, DVM_IN, DVM_OUT}; /* what the task does with each of its arguments */
    dvm_processing_id_t sum;
    dvm_data_id_t input, which[READERS], result[READERS];
    uint64_t cores;

    for (int i = 0; i < LENGTH; i++)
        array[i] = i;

    check(dvm_init());
    check(dvm_rank_count(&cores));
    check(dvm_processing_register(DVM_CALLBACK(sum_of_a_third), 3, "sum of a third", sum));
    check(dvm_processing_access(sum, access));

    /* Memory of the program: libdvm uses it in place, without a copy. */
    check(dvm_data_register(array, sizeof array, array_is_free, &input));
    for (int reader = 1; reader < READERS; reader++)
        check(dvm_data_acquire(input));

    for (int reader = 0; reader < READERS; reader++) {
        dvm_rank_t rank;
        void *memory;
        size_t size;

        /* Memory of the library: zeroed, aligned. It may be written until a task reads it. */
        check(dvm_data_allocate(sizeof reader, &which[reader]));
        check(dvm_data_get(which[reader], &memory, &size));
        *(int *)memory = reader;
        check(dvm_data_put(which[reader]));

        /* A datum for a task to write (see 03). */
        check(dvm_data_promise(sizeof(double), &result[reader]));

        check(dvm_rank_at(reader % cores, rank, DVM_MAX_RANK_DEPTH)); /* spread over the cores */
        check(dvm_sched_onto(rank, sum, input, which[reader], result[reader]));
    }
    check(dvm_wait());

    for (int reader = 0; reader < READERS; reader++) {
        void *memory;
        size_t size;
        check(dvm_data_get(result[reader], &memory, &size));
        printf("Sum of the elements %d, %d, %d ...: %g\n", reader, reader + READERS, reader + 2 * READERS,
               *(double *)memory);
        check(dvm_data_put(result[reader]));
        check(dvm_data_relax(result[reader])); /* main was its only reader */
    }

    /* The identifier of a datum that is gone gives an error, never other memory. */
    if (dvm_data_relax(input) == DVM_ERR_ID)
        printf("The array's identifier has no meaning any more.\n");

    check(dvm_finalize());
    return 0;
}
