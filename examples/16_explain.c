/* 16 explain: tasks that wait for a datum that nobody publishes, and what libdvm prints about them.
 *
 *     cc 16_explain.c -o explain $(pkg-config --cflags --libs dvm)
 *     ./explain            publishes the datum after a while
 *     ./explain forget     never publishes it: dvm_wait does not return (docs/explain.md finds out why)
 */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

static int *number(dvm_data_id_t id)
{
    void *address;
    size_t size;
    return dvm_data_get(id, &address, &size) == DVM_SUCCESS ? address : NULL;
}

/* Reads a number and produces twice that number. */
static int twice(dvm_data_id_t in, dvm_data_id_t out)
{
    const int *from = number(in);
    int *to = number(out);
    if (!from || !to)
        return 1;
    *to = 2 * *from;
    return 0;
}

static int show(dvm_data_id_t in)
{
    const int *from = number(in);
    if (!from)
        return 1;
    printf("The task got %d.\n", *from);
    return 0;
}

int main(int argc, char **argv)
{
    dvm_processing_id_t twice_id, show_id;
    dvm_data_id_t given, doubled;
    int modes[] = {DVM_IN, DVM_OUT};
    void *address;
    size_t size;
    (void)argv;

    check(dvm_init());
    check(dvm_processing_register(DVM_CALLBACK(twice), 2, "twice", twice_id));
    check(dvm_processing_access(twice_id, modes));
    check(dvm_processing_register(DVM_CALLBACK(show), 1, "show", show_id));

    /* "show" waits for "twice", and "twice" for a number that nobody has written yet. */
    check(dvm_data_promise(sizeof(int), &given));
    check(dvm_data_promise(sizeof(int), &doubled));
    dvm_data_id_t data[] = {{given[0], given[1]}, {doubled[0], doubled[1]}};
    check(dvm_sched_near(twice_id, data, 2));
    check(dvm_sched_near(show_id, &doubled, 1));

    printf("Both tasks wait.\n");
    fflush(stdout);
    if (argc > 1)
        check(dvm_wait()); /* for ever */
    check(dvm_explain());  /* prints that on stderr */

    check(dvm_data_write(given, &address, &size));
    *(int *)address = 21;
    check(dvm_data_publish(given));
    check(dvm_wait());

    check(dvm_finalize());
    return 0;
}
