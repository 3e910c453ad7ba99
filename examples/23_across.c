/* 23 across: one time loop over a plate, run by all processes together.
 *
 *     dvmcc 23_across.c -o across $(pkg-config --cflags --libs dvm) && dvmrun -n 4 ./across
 *
 * All processes run main and have the same arrays. At the region each of them runs a part of the tiles; what a tile wrote
 * and tiles of another process read goes there in one message. After the region every process has everything. DVM_PLACE
 * says how the tiles are dealt out, and DVM_VERBOSE=1 how many bytes each process has sent. */
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400, STEPS = 40 };

static double u[N][N], v[N][N];

static void check(dvm_retcode_t code)
{
    if (code == DVM_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    uint64_t me, processes;

    check(dvm_init());
    check(dvm_process(&me, &processes));
    for (int j = 0; j < N; j++)
        u[0][j] = 100.0;

#pragma dvm region across
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = v[i][j];
    }

    if (me == 0) {
        printf("one row below the edge: %.6f\n", u[1][N / 2]);
        printf("ten rows below: %.6f\n", u[10][N / 2]);
    }
    check(dvm_finalize());
    return 0;
}
