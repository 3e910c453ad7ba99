/* A Cholesky factorisation by hand: tiles are data, updates are chains of next, tiles lie 2D-cyclic on all PUs. The result is
 * the sequential one, bit by bit: each tile gets its updates in the same order. */
#include "several.h"

#include <math.h>

enum { NB = 24, BYTES = NB * NB * 8 };

typedef double tile_t[NB][NB];

static void do_potrf(tile_t a)
{
    for (int k = 0; k < NB; k++) {
        a[k][k] = sqrt(a[k][k]);
        for (int i = k + 1; i < NB; i++)
            a[i][k] /= a[k][k];
        for (int j = k + 1; j < NB; j++)
            for (int i = j; i < NB; i++)
                a[i][j] -= a[i][k] * a[j][k];
    }
}

static void do_trsm(tile_t l, tile_t a)
{
    for (int k = 0; k < NB; k++)
        for (int i = 0; i < NB; i++) {
            double sum = a[i][k];
            for (int j = 0; j < k; j++)
                sum -= a[i][j] * l[k][j];
            a[i][k] = sum / l[k][k];
        }
}

static void do_gemm(tile_t a, tile_t b, tile_t c)
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            double sum = c[i][j];
            for (int k = 0; k < NB; k++)
                sum -= a[i][k] * b[j][k];
            c[i][j] = sum;
        }
}

/* The tile before and after: one memory, or a copy is made. */
static double (*updated(dvm_data_id_t before, dvm_data_id_t after))[NB]
{
    void *from = bytes_of(before, BYTES), *to = bytes_of(after, BYTES);
    if (!from || !to)
        return NULL;
    CHECK(from == to || memcmp(from, to, BYTES) == 0); /* its memory begins as a copy */
    return to;
}

static int potrf(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    double(*a)[NB] = updated(ids[0], ids[1]);
    return a ? (do_potrf(a), 0) : 1;
}

static int trsm(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    double(*l)[NB] = bytes_of(ids[0], BYTES), (*a)[NB] = updated(ids[1], ids[2]);
    return l && a ? (do_trsm(l, a), 0) : 1;
}

static int gemm(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    double(*a)[NB] = bytes_of(ids[0], BYTES), (*b)[NB] = bytes_of(ids[1], BYTES), (*c)[NB] = updated(ids[2], ids[3]);
    return a && b && c ? (do_gemm(a, b, c), 0) : 1;
}

static dvm_processing_id_t potrf_id, trsm_id, gemm_id;

/* Schedules an update of `tile`, whose last version it becomes. */
static void update(uint64_t rank, dvm_processing_id_t p, dvm_data_id_t *read, int count, dvm_data_id_t tile)
{
    dvm_data_id_t ids[4];
    for (int i = 0; i < count; i++) {
        dvm_id_copy(ids[i], read[i]);
        CHECK_OK(dvm_data_acquire(read[i]));
    }
    dvm_id_copy(ids[count], tile);
    CHECK_OK(dvm_data_next(tile, &ids[count + 1]));
    CHECK_OK(on_rank(rank, p, ids, count + 2));
    dvm_id_copy(tile, ids[count + 1]);
}

static void factorise(int tiles, int rows)
{
    tile_t *matrix = malloc(sizeof(tile_t) * tiles * tiles);
    dvm_data_id_t *ids = malloc(sizeof(dvm_data_id_t) * tiles * tiles);
    int columns = (int)(rank_count + rows - 1) / rows;
#define AT(i, j) ((i) * tiles + (j))
#define RANK(i, j) ((uint64_t)((i) % rows * columns + (j) % columns))
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            for (int x = 0; x < NB; x++)
                for (int y = 0; y < NB; y++) {
                    int row = i * NB + x, column = j * NB + y;
                    matrix[AT(i, j)][x][y] = row == column ? tiles * NB + 1.0 : 1.0 / (1 + abs(row - column));
                }
            new_bytes(ids[AT(i, j)], matrix[AT(i, j)], BYTES);
        }
    for (int k = 0; k < tiles; k++) {
        update(RANK(k, k), potrf_id, NULL, 0, ids[AT(k, k)]);
        do_potrf(matrix[AT(k, k)]);
        for (int i = k + 1; i < tiles; i++) {
            update(RANK(i, k), trsm_id, &ids[AT(k, k)], 1, ids[AT(i, k)]);
            do_trsm(matrix[AT(k, k)], matrix[AT(i, k)]);
        }
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++) {
                dvm_data_id_t read[2];
                dvm_id_copy(read[0], ids[AT(i, k)]);
                dvm_id_copy(read[1], ids[AT(j, k)]);
                update(RANK(i, j), gemm_id, read, 2, ids[AT(i, j)]);
                do_gemm(matrix[AT(i, k)], matrix[AT(j, k)], matrix[AT(i, j)]);
            }
    }
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            static tile_t found;
            if (take_bytes(ids[AT(i, j)], found, BYTES))
                CHECK(memcmp(found, matrix[AT(i, j)], BYTES) == 0);
        }
    CHECK_OK(dvm_wait());
    free(matrix);
    free(ids);
}

static void drive(void)
{
    learn_ranks();
    several_register(potrf, NULL, 2, 1, "potrf", potrf_id);
    several_register(trsm, NULL, 3, 1, "trsm", trsm_id);
    several_register(gemm, NULL, 4, 1, "gemm", gemm_id);
    factorise(1, 1);
    factorise(3, 1);
    factorise(8, 2);
    factorise(13, 3);
}

int main(void)
{
    return several_main("cholesky", drive);
}
