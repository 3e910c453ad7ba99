/* 01 hello: start the machine, run one function as a task, wait for it.
 *
 *     cc 01_hello.c -o hello $(pkg-config --cflags --libs dvm) && ./hello
 *
 * libdvm turns every core of the machine into a worker. A worker runs tasks. A task is a function that was made known
 * to the library (a "processing") together with the data that it is run on; this one has no data. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>

/* Every call of the library returns a code; 0 is success. The text says what went wrong and what to do about it. */
static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

/* The task. It returns 0 for success; anything else makes dvm_wait() return an error. */
static int hello(void)
{
    printf("Hello from a task.\n");
    return 0;
}

int main(void)
{
    dvm_processing_id_t hello_id; /* names the function everywhere */
    dvm_rank_t rank;              /* names a core: its coordinates in the tree of the machine */

    check(dvm_init());
    check(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH)); /* the first core of this process */
    check(dvm_processing_register(DVM_CALLBACK(hello), 0, "say hello", hello_id));

    printf("Hello from main.\n");
    check(dvm_sched_onto(rank, hello_id)); /* queues the task and returns at once */
    check(dvm_wait());                     /* returns when every task has ended */
    printf("The task has ended.\n");

    check(dvm_finalize());
    return 0;
}
