/* The same bytes by MPI alone, between two processes that spin. The optional argument divides all numbers. */
#include "rows.h"

#include <mpi.h>
#include <string.h>

static int me;

/* There and back; the way back is empty. */
static double there_and_back(char *bytes, int size, long number)
{
    double start = seconds();
    for (long i = 0; i < number; i++) {
        if (me == 0) {
            MPI_Send(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(bytes, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(bytes, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (seconds() - start) / (double)number * 1e6;
}

int main(int argc, char **argv)
{
    size_t most = 64 << 20;
    char *bytes = malloc(most);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    memset(bytes, 1, most);
    long number = repeated(argc, argv, 20000);
    there_and_back(bytes, 0, number / 10 + 1);
    double empty = there_and_back(bytes, 0, number), small = there_and_back(bytes, 8, number);
    double page = there_and_back(bytes, 4096, number), large = there_and_back(bytes, 1 << 20, number / 200 + 1);
    double largest = there_and_back(bytes, (int)most, 3);
    if (me == 0) {
        row("empty-round-trip", empty);
        row("8B-round-trip", small);
        row("4KiB-round-trip", page);
        row("1MiB", large);
        row("64MiB", largest);
    }
    MPI_Finalize();
    free(bytes);
    return EXIT_SUCCESS;
}
