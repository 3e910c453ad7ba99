/* 12 redistribute: a matrix from a ScaLAPACK layout to blocks with a halo, and back.
 *
 *     cc 12_redistribute.c -o redistribute $(pkg-config --cflags --libs dvm) && ./redistribute
 *
 * A dense solver wants the matrix block-cyclic, column by column; a stencil wants each block with a rim of its
 * neighbours' elements, row by row. Both layouts are distributions. The program makes a plan between two of them once and
 * can use it many times. All workers copy; every element arrives exactly once at each place that wants it. */
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, BLOCK = 64, ROWS = 2, COLUMNS = 3, MEMORIES = ROWS * COLUMNS, RIM = 1 };

static void check(dvm_retcode_t code)
{
    if (code == DVM_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
    exit(EXIT_FAILURE);
}

/* The memories of a distribution: here they are data of this process. */
static void allocate(dvm_distribution_t distribution, dvm_data_id_t *id, double **memory)
{
    for (int64_t m = 0; m < MEMORIES; m++) {
        int64_t elements;
        size_t bytes;
        void *address;
        check(dvm_distribution_size(distribution, m, &elements));
        check(dvm_data_allocate((size_t)elements * sizeof(double), &id[m]));
        check(dvm_data_get(id[m], &address, &bytes));
        memory[m] = address;
    }
}

/* Element (i, j) at its place in ScaLAPACK's layout. */
static double *solver_element(double **memory, const int *descriptor, int i, int j)
{
    int row = i / BLOCK / ROWS * BLOCK + i % BLOCK, column = j / BLOCK / COLUMNS * BLOCK + j % BLOCK;
    return &memory[i / BLOCK % ROWS * COLUMNS + j / BLOCK % COLUMNS][row + column * descriptor[8]];
}

int main(void)
{
    const int descriptor[9] = {1, 0, N, N, BLOCK, BLOCK, 0, 0, 9 * BLOCK}; /* DTYPE_ ... LLD_ */
    const int64_t elements[2] = {N, N}, processes[2] = {ROWS, COLUMNS}, rim[2] = {RIM, RIM};
    const size_t element = sizeof(double);
    dvm_distribution_t solver, stencil;
    dvm_redistribution_t to_stencil, to_solver;
    dvm_data_id_t solver_id[MEMORIES], stencil_id[MEMORIES];
    double *a[MEMORIES], *b[MEMORIES];
    int wrong = 0;

    check(dvm_init());
    check(dvm_distribution_scalapack(descriptor, ROWS, COLUMNS, &solver));
    check(dvm_distribution_halo(2, elements, processes, rim, rim, &stencil));
    check(dvm_redistribution_plan(solver, stencil, 0, &to_stencil));
    check(dvm_redistribution_plan(stencil, solver, 0, &to_solver));
    allocate(solver, solver_id, a);
    allocate(stencil, stencil_id, b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            *solver_element(a, descriptor, i, j) = i * N + j;

    check(dvm_redistribute(to_stencil, 1, &element, solver_id, stencil_id));

    /* Checks each block with its rim inside the matrix, then does the stencil's work: negates all elements. */
    for (int64_t m = 0; m < MEMORIES; m++) {
        const int64_t rows = (N + ROWS - 1) / ROWS, columns = (N + COLUMNS - 1) / COLUMNS;
        int64_t extents[2], strides[2];
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
    printf("stencil blocks with their rims: %d elements wrong\n", wrong);

    check(dvm_redistribute(to_solver, 1, &element, stencil_id, solver_id));

    wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += *solver_element(a, descriptor, i, j) != -(double)(i * N + j);
    printf("back in the solver's layout: %d elements wrong\n", wrong);

    dvm_redistribution_figures_t there = {.size = sizeof there}, back = {.size = sizeof back};
    check(dvm_redistribution_figures(to_stencil, element, &there));
    check(dvm_redistribution_figures(to_solver, element, &back));
    printf("copied there: %lld elements between %lld pairs of memories\n", (long long)there.elements,
           (long long)there.messages);
    printf("copied back:  %lld elements between %lld pairs of memories\n", (long long)back.elements,
           (long long)back.messages);

    for (int m = 0; m < MEMORIES; m++) {
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
