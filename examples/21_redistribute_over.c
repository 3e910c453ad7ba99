/* 21 redistribute over processes: a matrix from a ScaLAPACK layout to blocks with a halo, and back, over four processes.
 *
 *     cc 21_redistribute_over.c -o redistribute $(pkg-config --cflags --libs dvm) && dvmrun -n 4 ./redistribute
 *
 * As 12, but the memories of both layouts lie in different processes. Every process makes the same calls; each gives the data
 * of its own memories, and {0, 0} for those of others. Between two processes goes one message, whatever its elements are.
 * The program runs as any number of processes: memory m belongs to process m modulo that number. */
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, BLOCK = 64, ROWS = 2, COLUMNS = 2, MEMORIES = ROWS * COLUMNS, RIM = 1, LEADING = 9 * BLOCK };

static int64_t process_of[MEMORIES]; /* the process of each memory, of both layouts */
static uint64_t me, processes;

static void check(dvm_retcode_t code)
{
    if (code == DVM_SUCCESS)
        return;
    fprintf(stderr, "process %d: %s: %s\n", (int)me, dvm_strerror(code), dvm_last_error());
    exit(EXIT_FAILURE);
}

/* The memories of this process: data. Others stay {0, 0} and NULL. */
static void allocate(dvm_distribution_t distribution, dvm_data_id_t *id, double **memory)
{
    for (int64_t m = 0; m < MEMORIES; m++) {
        int64_t elements;
        size_t bytes;
        void *address;
        if (process_of[m] != (int64_t)me)
            continue;
        check(dvm_distribution_size(distribution, m, &elements));
        check(dvm_data_allocate((size_t)elements * sizeof(double), &id[m]));
        check(dvm_data_get(id[m], &address, &bytes));
        memory[m] = address;
    }
}

/* Element (i, j) at its place in ScaLAPACK's layout; NULL if another process has it. */
static double *solver_element(double **memory, int i, int j)
{
    int row = i / BLOCK / ROWS * BLOCK + i % BLOCK, column = j / BLOCK / COLUMNS * BLOCK + j % BLOCK;
    double *local = memory[i / BLOCK % ROWS * COLUMNS + j / BLOCK % COLUMNS];
    return local ? &local[row + column * LEADING] : NULL;
}

int main(void)
{
    const int descriptor[9] = {1, 0, N, N, BLOCK, BLOCK, 0, 0, LEADING}; /* DTYPE_ ... LLD_ */
    const int64_t elements[2] = {N, N}, grid[2] = {ROWS, COLUMNS}, rim[2] = {RIM, RIM};
    const size_t element = sizeof(double);
    dvm_distribution_t solver, stencil;
    dvm_redistribution_t to_stencil, to_solver;
    dvm_data_id_t solver_id[MEMORIES] = {{0, 0}}, stencil_id[MEMORIES] = {{0, 0}};
    double *a[MEMORIES] = {NULL}, *b[MEMORIES] = {NULL};
    int wrong = 0;

    check(dvm_init());
    check(dvm_process(&me, &processes));
    for (int m = 0; m < MEMORIES; m++)
        process_of[m] = m % (int64_t)processes;
    check(dvm_distribution_scalapack(descriptor, ROWS, COLUMNS, &solver));
    check(dvm_distribution_halo(2, elements, grid, rim, rim, &stencil));
    /* With four processes the same as dvm_distribution_set_grid(solver, DVM_GRID_BY_ROWS, NULL, 0). */
    check(dvm_distribution_set_processes(solver, process_of, MEMORIES));
    check(dvm_distribution_set_processes(stencil, process_of, MEMORIES));
    check(dvm_redistribution_plan(solver, stencil, DVM_REDISTRIBUTION_COLLECTIVE, &to_stencil));
    check(dvm_redistribution_plan(stencil, solver, DVM_REDISTRIBUTION_COLLECTIVE, &to_solver));
    allocate(solver, solver_id, a);
    allocate(stencil, stencil_id, b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (solver_element(a, i, j))
                *solver_element(a, i, j) = i * N + j;

    check(dvm_redistribute(to_stencil, 1, &element, solver_id, stencil_id));

    /* Checks each block of this process with its rim, then does the stencil's work: negates all elements. */
    for (int64_t m = 0; m < MEMORIES; m++) {
        const int64_t rows = (N + ROWS - 1) / ROWS, columns = (N + COLUMNS - 1) / COLUMNS;
        int64_t extents[2], strides[2];
        if (b[m] == NULL)
            continue;
        check(dvm_distribution_extents(stencil, m, extents, 2));
        check(dvm_distribution_strides(stencil, m, strides, 2));
        for (int64_t i = 0; i < extents[0]; i++)
            for (int64_t j = 0; j < extents[1]; j++) {
                const int64_t row = m / COLUMNS * rows + i - RIM, column = m % COLUMNS * columns + j - RIM;
                double *here = &b[m][i * strides[0] + j * strides[1]];
                const int inside = row >= 0 && row < N && column >= 0 && column < N;
                wrong += *here != (inside ? (double)(row * N + column) : 0);
                *here = -*here;
            }
    }
    if (me == 0)
        printf("stencil blocks of process 0 with their rims: %d elements wrong\n", wrong);

    check(dvm_redistribute(to_solver, 1, &element, stencil_id, solver_id));

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += solver_element(a, i, j) && *solver_element(a, i, j) != -(double)(i * N + j);
    if (me == 0)
        printf("back in the solver's layout: %d elements wrong\n", wrong);

    /* What other processes have sent this one: nothing if it is alone, else one message of each that has something for it. */
    uint64_t messages, bytes;
    check(dvm_redistribution_received(to_stencil, &messages, &bytes));
    if (messages > processes - 1 || (messages == 0) != (bytes == 0))
        wrong++;

    for (int m = 0; m < MEMORIES; m++) {
        if (process_of[m] != (int64_t)me)
            continue;
        check(dvm_data_put(solver_id[m]));
        check(dvm_data_put(stencil_id[m]));
        check(dvm_data_relax(solver_id[m]));
        check(dvm_data_relax(stencil_id[m]));
    }
    check(dvm_redistribution_free(to_stencil));
    check(dvm_redistribution_free(to_solver));
    check(dvm_distribution_free(solver));
    check(dvm_distribution_free(stencil));
    check(dvm_finalize());
    return wrong != 0;
}
