/* What both Cholesky factorisations share: tiles of EDGE x EDGE values, and their kernels. */
#ifndef CHOLESKY_H
#define CHOLESKY_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int edge, tiles;
} sizes_t;

/* Small and large tiles; `divided`: fewer of them. */
static const sizes_t sizes_of[] = {{32, 32}, {512, 8}};
static const char *const names_of[] = {"cholesky-32", "cholesky-512"};

static inline int tiles_of(int which, long divided)
{
    return divided > 10 ? 3 : sizes_of[which].tiles;
}

/* The process of a tile, of two. */
static inline int owner_of(int i, int j)
{
    return (i + j) % 2;
}

static inline double initial(int row, int column, int edge, int tiles)
{
    return row == column ? edge * tiles + 1.0 : 1.0 / (1 + abs(row - column));
}

static inline void fill_tile(double *a, int i, int j, int edge, int tiles)
{
    for (int x = 0; x < edge; x++)
        for (int y = 0; y < edge; y++)
            a[x * edge + y] = initial(i * edge + x, j * edge + y, edge, tiles);
}

static inline void factor_tile(double *a, int n)
{
    for (int k = 0; k < n; k++) {
        a[k * n + k] = sqrt(a[k * n + k]);
        for (int i = k + 1; i < n; i++)
            a[i * n + k] /= a[k * n + k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i; j++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
}

static inline void solve_tile(const double *l, double *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double sum = a[i * n + k];
            for (int j = 0; j < k; j++)
                sum -= a[i * n + j] * l[k * n + j];
            a[i * n + k] = sum / l[k * n + k];
        }
}

/* c -= a * transposed b */
static inline void update_tile(const double *a, const double *b, double *restrict c, int n)
{
    double *restrict turned = malloc(sizeof *turned * n * n);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            turned[k * n + j] = b[j * n + k];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] -= a[i * n + k] * turned[k * n + j];
    free(turned);
}

/* The last value of the factor: the same for all that factorise the same matrix. */
static inline void check_last(double found, int edge, int tiles)
{
    static double expected[3][2];
    double *known = expected[edge == 32];
    if (known[0] == 0)
        known[0] = found;
    if (!(found > 0) || found != known[0] || found * found > edge * tiles + 1.0) {
        fprintf(stderr, "a wrong factor: %g\n", found);
        exit(EXIT_FAILURE);
    }
}

#endif
