/* Loops in which nothing but regions uses their arrays: these stay on the processes until the loop has ended, without a
 * clause, in a program that process 0 alone runs.
 *
 * compiled with: --across
 * environment: DVM_TUNE=0 DVM_TILE=16x16 DVM_ACROSS=1
 * also as: 4
 *
 * A function of this program stands before libdvm's, and tries after each region whether the system may read the arrays:
 * it cannot while other processes have values of them. */
#include <dlfcn.h>
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t word;
enum { N = 260, STEPS = 6 };
static word a[N][N], b[N][N], a2[N][N], b2[N][N];
static int failures, calls, ran_across, closed, several, keeping, ends[2];

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

/* Whether the system may read all of an array: a byte of each page, through a pipe. */
static int is_open(const void *at, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 512) {
        char byte;
        if (write(ends[1], (const char *)at + k, 1) != 1)
            return 0;
        CHECK(read(ends[0], &byte, 1) == 1);
    }
    return 1;
}

/* What generated code calls: libdvm's function, and a look at the arrays. */
dvm_retcode_t dvm_across_run(const dvm_across_t *region, void *context, const dvm_across_array_t *arrays, uint64_t digest,
                             int willing, int *ran)
{
    static dvm_retcode_t (*run)(const dvm_across_t *, void *, const dvm_across_array_t *, uint64_t, int, int *);
    if (run == NULL)
        *(void **)&run = dlsym(RTLD_NEXT, "dvm_across_run");
    dvm_retcode_t code = run(region, context, arrays, digest, willing, ran);
    calls++;
    ran_across += code == DVM_SUCCESS && *ran;
    int shut = 0;
    for (int k = 0; k < region->arrays_count; k++)
        shut |= !is_open((char *)arrays[k].base + arrays[k].begin, (size_t)(arrays[k].end - arrays[k].begin));
    closed += shut;
    return code;
}

static void step(int n, const word (*restrict x)[N], word (*restrict y)[N])
{
    if (n < 3)
        return;
#pragma dvm region
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            y[i][j] = x[i][j] + 3 * x[i - 1][j] + 5 * x[i + 1][j] + 7 * x[i][j - 1] + (x[i][j + 1] >> 1);
}

static void step2(int n, const word (*x)[N], word (*y)[N])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            y[i][j] = x[i][j] + 3 * x[i - 1][j] + 5 * x[i + 1][j] + 7 * x[i][j - 1] + (x[i][j + 1] >> 1);
}

static void filled(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = a2[i][j] = b[i][j] = b2[i][j] = (word)(i * 31 + j) * 0xd1342543de82ef95u >> 7;
}

/* Nothing is kept now, and all is as the plain program has it. */
static void all_is_here(int expected_closed, int line)
{
    if (!is_open(a, sizeof a) || !is_open(b, sizeof b) || memcmp(a, a2, sizeof a) || memcmp(b, b2, sizeof b) ||
        closed != (keeping ? expected_closed : 0)) {
        fprintf(stderr, "%s:%d: %d entries of %d left closed pages\n", __FILE__, line, closed, calls);
        failures++;
    }
    closed = 0;
}

/* A region in the loop, one in a function that it calls, and what may stand beside them. */
static void in_one_function(int steps)
{
    double sum = 0;
    filled();
    for (int t = 0; t < steps; t++) {
        step(N, (const word(*)[N])a, b);
        if (t == 100)
            printf("%d %g\n", t, sum);
        sum += t;
#pragma dvm region
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = b[i][j] ^ (a[i][j] << 3);
    }
    for (int t = 0; t < steps; t++) {
        step2(N, (const word(*)[N])a2, b2);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a2[i][j] = b2[i][j] ^ (a2[i][j] << 3);
    }
    all_is_here(2 * steps, __LINE__);
}

/* Pointers change their places, and the loop ends early. */
static void exchanged(int steps)
{
    word(*x)[N] = a, (*y)[N] = b;
    filled();
    for (int t = 0;; t++) {
        step(N, (const word(*)[N])x, y);
        word(*z)[N] = x;
        x = y;
        y = z;
        if (t == steps - 1)
            break;
    }
    for (int t = 0; t < steps; t++)
        step2(N, t % 2 ? (const word(*)[N])b2 : (const word(*)[N])a2, t % 2 ? a2 : b2);
    all_is_here(steps, __LINE__);
}

/* Main uses an array in the loop: nothing is kept. */
static void used(int steps)
{
    filled();
    for (int t = 0; t < steps; t++) {
        step(N, (const word(*)[N])a, b);
        a[t + 1][7] += b[7][t + 1];
    }
    for (int t = 0; t < steps; t++) {
        step2(N, (const word(*)[N])a2, b2);
        a2[t + 1][7] += b2[7][t + 1];
    }
    all_is_here(0, __LINE__);
}

/* With the clause, an array stays longer than the loop. */
static void with_clause(int steps)
{
    filled();
    for (int t = 0; t < steps; t++) {
#pragma dvm region across keep(b)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = a[i][j] * 5 + a[i - 1][j];
        step(N, (const word(*)[N])b, a);
    }
    CHECK(is_open(a, sizeof a) && is_open(b, sizeof b) == !several);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b2[i][j] = a2[i][j] * 5 + a2[i - 1][j];
        step2(N, (const word(*)[N])b2, a2);
    }
    for (int i = 0; i < N; i++)
        b[i][0] += 0;
    CHECK(!memcmp(b, b2, sizeof b));
    closed = 0;
}

int main(void)
{
    /* A program that names this variable may be one for all processes. */
    char name[20];
    snprintf(name, sizeof name, "%s_%sES", "DVM", "PROCESS" + (failures != 0));
    const char *processes = getenv(name);
    const char *keeps = getenv("DVM_KEEP");
    several = processes != NULL && atoi(processes) > 1;
    keeping = several && !(keeps != NULL && *keeps == '0');
    CHECK(pipe(ends) == 0);
    for (int turn = 0; turn < 2; turn++) {
        in_one_function(STEPS);
        exchanged(STEPS);
        exchanged(STEPS + 1);
        used(STEPS);
        in_one_function(0);
        in_one_function(1);
    }
    with_clause(STEPS);
    printf("%d of %d entries across\n", ran_across, calls);
    CHECK(!several || ran_across > 0);
    if (failures == 0)
        printf("loops: ok\n");
    return failures != 0;
}
