/* 15 blocking: tasks that wait for something outside libdvm, here for bytes in a pipe; it could be a message, a file or a
 * lock.
 *
 *     cc 15_blocking.c -o blocking $(pkg-config --cflags --libs dvm) && ./blocking
 *
 * A worker runs one task at a time. A task that sleeps in read() occupies its worker, and here the writing task is
 * behind it in the same worker's queue: it would never run. Between dvm_blocking_begin and dvm_blocking_end
 * another thread runs tasks instead. */
#include <dvm.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int in_pipe[2];

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

static int reads(void)
{
    char letter = 0;
    check(dvm_blocking_begin());
    ssize_t got = read(in_pipe[0], &letter, 1);
    check(dvm_blocking_end()); /* one task at a time again: waits for the end of the task that runs meanwhile */
    printf("read %c\n", letter);
    return got == 1 ? 0 : 1;
}

static int writes(void)
{
    printf("about to write\n");
    return write(in_pipe[1], "x", 1) == 1 ? 0 : 1;
}

int main(void)
{
    dvm_processing_id_t reads_id, writes_id;
    dvm_rank_t rank;

    if (pipe(in_pipe) != 0)
        return EXIT_FAILURE;
    check(dvm_init());
    check(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH));
    check(dvm_processing_register(DVM_CALLBACK(reads), 0, "reads", reads_id));
    check(dvm_processing_register(DVM_CALLBACK(writes), 0, "writes", writes_id));
    check(dvm_sched_onto(rank, reads_id));
    check(dvm_sched_onto(rank, writes_id)); /* on the same worker, behind it */
    check(dvm_wait());
    check(dvm_finalize());
    return 0;
}
