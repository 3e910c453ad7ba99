/* Regions with the clause `across`: what all processes together compute is what the loops compute, in every process.
 *
 * arguments: 29 5 block 4x7x3
 * arguments: 23 6 cyclic 5
 * arguments: 31 4 cyclic(2),block 3x2x9
 * arguments: 18 3 block,cyclic@1x2 1x2x3
 * arguments: 40 7 cyclic(3) 8x5x6
 * arguments: 3 2 block,block 2
 *
 * Numbers wrap, so no rounding hides an order that is wrong. Each nest is written twice: the one without a pragma runs in
 * each process by itself. */
#include "several.h"
#include <stdint.h>

typedef uint64_t word;

static void lu(int n, word A[restrict n][n])
{
#pragma dvm region name(lu) across
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] *= A[k][k] | 1;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

static void lu_alone(int n, word A[restrict n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] *= A[k][k] | 1;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

static void stencil(int t, int n, word a[restrict n][n], word b[restrict n][n])
{
#pragma dvm region name(stencil) across
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 3 * a[i][j] + a[i][j - 1] + 5 * a[i][1 + j] + a[1 + i][j] + 7 * a[i - 1][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = 5 * b[i][j] + b[i][j - 1] + 3 * b[i][1 + j] + b[1 + i][j] + 9 * b[i - 1][j];
    }
}

static void stencil_alone(int t, int n, word a[restrict n][n], word b[restrict n][n])
{
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 3 * a[i][j] + a[i][j - 1] + 5 * a[i][1 + j] + a[1 + i][j] + 7 * a[i - 1][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = 5 * b[i][j] + b[i][j - 1] + 3 * b[i][1 + j] + b[1 + i][j] + 9 * b[i - 1][j];
    }
}

static void product(int n, word C[restrict n][n], word A[restrict n][n], word B[restrict n][n])
{
#pragma dvm region name(product) across
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = 0;
            for (int k = 0; k < n; k++)
                C[i][j] = 3 * C[i][j] + A[i][k] * B[k][j];
        }
}

static void product_alone(int n, word C[restrict n][n], word A[restrict n][n], word B[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = 0;
            for (int k = 0; k < n; k++)
                C[i][j] = 3 * C[i][j] + A[i][k] * B[k][j];
        }
}

static void paths(int n, word P[restrict n][n])
{
#pragma dvm region name(paths) across
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j] : P[i][k] + P[k][j];
}

static void paths_alone(int n, word P[restrict n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j] : P[i][k] + P[k][j];
}

static void triangle(int n, word A[restrict n][n], word x[restrict n])
{
#pragma dvm region name(triangle) across
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i][j] = 3 * A[i][j] + x[i] * x[j];
}

static void triangle_alone(int n, word A[restrict n][n], word x[restrict n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i][j] = 3 * A[i][j] + x[i] * x[j];
}

static void crossing(int t, int n, word X[restrict t][n], word a[restrict n])
{
#pragma dvm region name(crossing) across
    for (int s = 0; s < t; s++)
        for (int i = 0; i < n - 1; i++) {
            X[s][i] = a[i + 1];
            a[i] = s + 5 * i;
        }
}

static void crossing_alone(int t, int n, word X[restrict t][n], word a[restrict n])
{
    for (int s = 0; s < t; s++)
        for (int i = 0; i < n - 1; i++) {
            X[s][i] = a[i + 1];
            a[i] = s + 5 * i;
        }
}

static void seidel(int t, int n, word a[restrict n][n])
{
#pragma dvm region name(seidel) across
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = a[i - 1][j] + 3 * a[i][j - 1] + 5 * a[i][j] + 7 * a[i][j + 1] + 9 * a[i + 1][j];
}

static void seidel_alone(int t, int n, word a[restrict n][n])
{
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = a[i - 1][j] + 3 * a[i][j - 1] + 5 * a[i][j] + 7 * a[i][j + 1] + 9 * a[i + 1][j];
}

static void sweeps(int t, int n, word u[restrict n][n], word v[restrict n][n])
{
#pragma dvm region name(sweeps) across
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                u[i][j] = u[i][j] + 3 * u[i][j - 1] + 5 * v[j][i];
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                v[i][j] = v[i][j] - 7 * v[i][j - 1] + 9 * u[j][i];
    }
}

static void sweeps_alone(int t, int n, word u[restrict n][n], word v[restrict n][n])
{
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                u[i][j] = u[i][j] + 3 * u[i][j - 1] + 5 * v[j][i];
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                v[i][j] = v[i][j] - 7 * v[i][j - 1] + 9 * u[j][i];
    }
}

static void maybe(int t, int n, word a[restrict n][n], word b[restrict n])
{
#pragma dvm region name(maybe) across
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                if (b[j] % 3 == 1)
                    a[i][j] = 3 * a[i - 1][j] + a[i][j - 1] + s;
}

static void maybe_alone(int t, int n, word a[restrict n][n], word b[restrict n])
{
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                if (b[j] % 3 == 1)
                    a[i][j] = 3 * a[i - 1][j] + a[i][j - 1] + s;
}

enum { ARRAYS = 3 };
static word *mine[ARRAYS], *alone[ARRAYS]; /* computed together, and by this process alone */
static size_t words;

/* Gives the arrays new values, equal ones in all processes. */
static void fill(word seed)
{
    for (int k = 0; k < ARRAYS; k++)
        for (size_t i = 0; i < words; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            mine[k][i] = alone[k][i] = seed >> 20;
        }
}

static void compare(const char *nest)
{
    for (int k = 0; k < ARRAYS; k++) {
        int equal = memcmp(mine[k], alone[k], words * sizeof(word)) == 0;
        CHECK(equal);
        if (!equal)
            fprintf(stderr, "nest %s: array %d differs\n", nest, k);
    }
}

#define M(k) (void *)mine[k]
#define A(k) (void *)alone[k]

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const int n = atoi(argv[1]), t = atoi(argv[2]);
    setenv("DVM_PLACE", argv[3], 1);
    setenv("DVM_TILE", argv[4], 1);
    setenv("DVM_TUNE", "0", 1);
    several_begin();
    words = (size_t)n * (size_t)(n > t ? n : t);
    for (int k = 0; k < ARRAYS; k++) {
        mine[k] = malloc(words * sizeof(word));
        alone[k] = malloc(words * sizeof(word));
    }
    fill(1);
    lu(n, M(0));
    lu_alone(n, A(0));
    compare("lu");
    fill(2);
    stencil(t, n, M(0), M(1));
    stencil_alone(t, n, A(0), A(1));
    compare("stencil");
    fill(3);
    product(n, M(0), M(1), M(2));
    product_alone(n, A(0), A(1), A(2));
    compare("product");
    fill(4);
    paths(n, M(0));
    paths_alone(n, A(0));
    compare("paths");
    fill(5);
    triangle(n, M(0), M(1));
    triangle_alone(n, A(0), A(1));
    compare("triangle");
    fill(6);
    crossing(t, n, M(0), M(1));
    crossing_alone(t, n, A(0), A(1));
    compare("crossing");
    fill(7);
    seidel(t, n, M(0));
    seidel_alone(t, n, A(0));
    compare("seidel");
    fill(8);
    sweeps(t, n, M(0), M(1));
    sweeps_alone(t, n, A(0), A(1));
    compare("sweeps");
    fill(9);
    maybe(t, n, M(0), M(1));
    maybe_alone(t, n, A(0), A(1));
    compare("maybe");
    return several_end("nests");
}
