/* Linked into a program of process 0: in all other processes of its job it serves, as often as process 0 starts libdvm. */
#include <dvm.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void serve(void)
{
    const char *process = getenv("DVM_PROCESS");
    if (process == NULL || strcmp(process, "0") == 0)
        return;
    /* Refused, once process 0 has ended. */
    while (dvm_init() == DVM_SUCCESS) {
        dvm_serve();
        dvm_finalize();
    }
    _exit(EXIT_SUCCESS);
}
