/* The same Cholesky factorisation and the same ring of values by StarPU-MPI: each of two processes inserts all tasks. The
 * optional argument divides all numbers. */
#include "cholesky.h"
#include "rows.h"

#include <starpu_mpi.h>

enum { MOST = 32, WIDTH = 64 };

static int me;

static double *values(void *buffer)
{
    return (double *)STARPU_MATRIX_GET_PTR(buffer);
}

static int edge_of(void *buffer)
{
    return (int)STARPU_MATRIX_GET_NX(buffer);
}

static void do_factor(void *buffers[], void *unused)
{
    (void)unused;
    factor_tile(values(buffers[0]), edge_of(buffers[0]));
}

static void do_solve(void *buffers[], void *unused)
{
    (void)unused;
    solve_tile(values(buffers[0]), values(buffers[1]), edge_of(buffers[1]));
}

static void do_update(void *buffers[], void *unused)
{
    (void)unused;
    update_tile(values(buffers[0]), values(buffers[1]), values(buffers[2]), edge_of(buffers[2]));
}

static void do_step(void *buffers[], void *unused)
{
    (void)unused;
    *values(buffers[3]) = (*values(buffers[0]) + *values(buffers[1]) + *values(buffers[2])) / 3;
}

static struct starpu_codelet factor = {.cpu_funcs = {do_factor}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "factor"};
static struct starpu_codelet solve = {
    .cpu_funcs = {do_solve}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "solve"};
static struct starpu_codelet update = {
    .cpu_funcs = {do_update}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}, .name = "update"};
static struct starpu_codelet step = {
    .cpu_funcs = {do_step}, .nbuffers = 4, .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W}, .name = "step"};

static void need(int code)
{
    if (code) {
        fprintf(stderr, "StarPU: %d\n", code);
        exit(EXIT_FAILURE);
    }
}

static starpu_data_handle_t handle_of(double *bytes, int edge, int owner, int tag)
{
    starpu_data_handle_t handle;
    if (owner == me)
        starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)bytes, edge, edge, edge, sizeof(double));
    else
        starpu_matrix_data_register(&handle, -1, 0, edge, edge, edge, sizeof(double));
    starpu_mpi_data_register(handle, tag, owner);
    return handle;
}

static double finished(double start)
{
    starpu_task_wait_for_all();
    starpu_mpi_barrier(MPI_COMM_WORLD);
    return seconds() - start;
}

static void factorise(int which, long divided)
{
    static starpu_data_handle_t at[MOST][MOST];
    static double *bytes[MOST][MOST];
    int edge = sizes_of[which].edge, tiles = tiles_of(which, divided);
    double least = 1e9;
    for (int run = 0; run < 3; run++) {
        for (int i = 0; i < tiles; i++)
            for (int j = 0; j <= i; j++) {
                bytes[i][j] = malloc(sizeof(double) * edge * edge);
                fill_tile(bytes[i][j], i, j, edge, tiles);
                at[i][j] = handle_of(bytes[i][j], edge, owner_of(i, j), i * MOST + j);
            }
        starpu_mpi_barrier(MPI_COMM_WORLD);
        double start = seconds();
        for (int k = 0; k < tiles; k++) {
            need(starpu_mpi_task_insert(MPI_COMM_WORLD, &factor, STARPU_RW, at[k][k], 0));
            for (int i = k + 1; i < tiles; i++)
                need(starpu_mpi_task_insert(MPI_COMM_WORLD, &solve, STARPU_R, at[k][k], STARPU_RW, at[i][k], 0));
            for (int i = k + 1; i < tiles; i++)
                for (int j = k + 1; j <= i; j++)
                    need(starpu_mpi_task_insert(MPI_COMM_WORLD, &update, STARPU_R, at[i][k], STARPU_R, at[j][k],
                                                STARPU_RW, at[i][j], 0));
        }
        double took = finished(start);
        least = took < least ? took : least;
        for (int i = 0; i < tiles; i++)
            for (int j = 0; j <= i; j++)
                starpu_data_unregister(at[i][j]);
        if (owner_of(tiles - 1, tiles - 1) == me)
            check_last(bytes[tiles - 1][tiles - 1][edge * edge - 1], edge, tiles);
        for (int i = 0; i < tiles; i++)
            for (int j = 0; j <= i; j++)
                free(bytes[i][j]);
    }
    if (me == 0)
        row(names_of[which], least * 1e6);
}

static void ring(long steps)
{
    static starpu_data_handle_t at[2][WIDTH];
    static double bytes[2][WIDTH];
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < WIDTH; i++) {
            bytes[which][i] = 1;
            at[which][i] = handle_of(&bytes[which][i], 1, i >= WIDTH / 2, 100000 + which * WIDTH + i);
        }
    starpu_mpi_barrier(MPI_COMM_WORLD);
    double start = seconds();
    for (long now = 0; now < steps; now++)
        for (int i = 0; i < WIDTH; i++)
            need(starpu_mpi_task_insert(MPI_COMM_WORLD, &step, STARPU_R, at[now % 2][(i + WIDTH - 1) % WIDTH], STARPU_R,
                                        at[now % 2][i], STARPU_R, at[now % 2][(i + 1) % WIDTH], STARPU_W,
                                        at[(now + 1) % 2][i], 0));
    double took = finished(start);
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < WIDTH; i++)
            starpu_data_unregister(at[which][i]);
    if (me == 0)
        row("stencil", took / (double)(steps * WIDTH) * 1e6);
}

int main(int argc, char **argv)
{
    need(starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL));
    starpu_mpi_comm_rank(MPI_COMM_WORLD, &me);
    long divided = argc > 1 ? atol(argv[1]) : 1;
    for (int which = 0; which < 2; which++)
        factorise(which, divided);
    ring(repeated(argc, argv, 200));
    starpu_mpi_shutdown();
    return EXIT_SUCCESS;
}
