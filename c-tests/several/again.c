/* Regions that are called again and again, with values, bounds, arrays and kept memory that change or do not, in a program
 * that process 0 alone runs: calls that come again need no agreement. `again SEED`.
 *
 * environment: DVM_TUNE=0 DVM_TILE=16x16
 * also as: 4
 * arguments: 1
 * arguments: 2
 * arguments: 3
 *
 * Every computation is done twice; the one without a pragma is the reference. */
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 130, ARRAYS = 4, CALLS = 400 };

typedef double grid[N][N];
static int failures;

static void step(int n, double dt, const double (*restrict a)[N], double (*restrict b)[N])
{
#pragma dvm region across keep(a, b)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = a[i][j] + dt * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] - 3 * a[i][j + 1]);
}

static void step2(int n, double dt, const double (*a)[N], double (*b)[N])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = a[i][j] + dt * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] - 3 * a[i][j + 1]);
}

/* Nothing is kept. */
static void blend(int n, double part, const double (*restrict a)[N], double (*restrict b)[N])
{
#pragma dvm region across
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = part * b[i][j] + (1 - part) * a[n - 1 - i][j];
}

static void blend2(int n, double part, const double (*a)[N], double (*b)[N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = part * b[i][j] + (1 - part) * a[n - 1 - i][j];
}

/* The gap changes what is read where, but not which elements are touched. */
static void apart(int gap, const double (*restrict a)[N], double (*restrict b)[N])
{
#pragma dvm region across keep(a, b)
    {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                b[i][j] = 0.5 * a[i][j];
        for (int i = gap; i < N - gap; i++)
            for (int j = 0; j < N; j++)
                b[i][j] += 0.25 * (a[i - gap][j] + a[i + gap][j]);
    }
}

static void apart2(int gap, const double (*a)[N], double (*b)[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i][j] = 0.5 * a[i][j];
    for (int i = gap; i < N - gap; i++)
        for (int j = 0; j < N; j++)
            b[i][j] += 0.25 * (a[i - gap][j] + a[i + gap][j]);
}

/* One tile: process 0 runs it. */
static void corner(const double (*restrict a)[N], double (*restrict b)[N])
{
#pragma dvm region across keep(a, b)
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            b[i][j] += 0.5 * a[i][j];
}

static void corner2(const double (*a)[N], double (*b)[N])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            b[i][j] += 0.5 * a[i][j];
}

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % n);
}

static double (*array(void))[N]
{
    double (*made)[N] = calloc(N, sizeof *made);
    if (!made)
        abort();
    return made;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        state += strtoull(argv[1], NULL, 10) * 2654435761u;
    double (*all[ARRAYS])[N];
    static grid reference[ARRAYS];
    for (int k = 0; k < ARRAYS; k++) {
        all[k] = array();
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                reference[k][i][j] = all[k][i][j] = (double)below(1000) / 1000;
    }
    int from = 0, to = 1, n = N, gap = 1;
    double dt = 0.01;
    for (int call = 0; call < CALLS && !failures; call++) {
        switch (below(14)) {
        case 0:
            dt = (double)(1 + below(3)) / 128;
            break;
        case 1:
            n = N - (int)below(3) * 20;
            break;
        case 2:
            from = (int)below(ARRAYS);
            to = (from + 1 + (int)below(ARRAYS - 1)) % ARRAYS;
            break;
        case 3:
            blend(n, dt, (const double (*)[N])all[from], all[to]);
            blend2(n, dt, (const double (*)[N])reference[from], reference[to]);
            break;
        case 4:
            corner((const double (*)[N])all[from], all[to]);
            corner2((const double (*)[N])reference[from], reference[to]);
            break;
        case 5: {
            const int i = (int)below(N), j = (int)below(N);
            all[from][i][j] += 1;
            reference[from][i][j] += 1;
            break;
        }
        case 6: {
            const int i = (int)below(N), j = (int)below(N);
            failures += all[to][i][j] != reference[to][i][j];
            break;
        }
        case 7: {
            const int k = (int)below(ARRAYS);
            free(all[k]);
            all[k] = array();
            memset(reference[k], 0, sizeof reference[k]);
            break;
        }
        case 8:
        case 9:
            for (int again = 2 + (int)below(9); again > 0; again--) {
                gap = 1 + (int)below(2) * 6;
                apart(gap, (const double (*)[N])all[from], all[to]);
                apart2(gap, (const double (*)[N])reference[from], reference[to]);
                const int old = from;
                from = to;
                to = old;
            }
            break;
        default: {
            const int old = from;
            from = to;
            to = old;
        }
        }
        for (int again = (int)below(4); again > 0; again--) {
            step(n, dt, (const double (*)[N])all[from], all[to]);
            step2(n, dt, (const double (*)[N])reference[from], reference[to]);
            const int old = from;
            from = to;
            to = old;
        }
        if (failures)
            fprintf(stderr, "call %d: an element differs\n", call);
    }
    for (int k = 0; k < ARRAYS; k++) {
        const int differs = memcmp(all[k], reference[k], sizeof reference[k]) != 0;
        if (differs)
            fprintf(stderr, "array %d differs\n", k);
        failures += differs;
        free(all[k]);
    }
    puts(failures ? "again: failed" : "again: ok");
    return failures != 0;
}
