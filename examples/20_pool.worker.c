/* The workers of 20_pool.c: a program without any task of its own. It runs whatever comes until process 0 finalizes. */
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

int main(void)
{
    check(dvm_init());
    check(dvm_serve());
    check(dvm_finalize());
    return 0;
}
