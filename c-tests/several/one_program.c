/* A sequential program with the clause `across`: process 0 alone runs main, the others take part in its regions.
 *
 * environment: DVM_TUNE=0 DVM_TILE=5x7x3 DVM_PLACE=cyclic(2),block
 * also as: 4
 *
 * Each nest is written twice; the one without a pragma is the reference. A function of this program stands before libdvm's,
 * and counts the regions that have run across. */
#include <dlfcn.h>
#include <dvm.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t word;
static int ran_across, processes = 1, failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

/* What generated code calls: libdvm's function, counted. */
dvm_retcode_t dvm_across_run(const dvm_across_t *region, void *context, const dvm_across_array_t *arrays, uint64_t digest,
                             int willing, int *ran)
{
    static dvm_retcode_t (*run)(const dvm_across_t *, void *, const dvm_across_array_t *, uint64_t, int, int *);
    if (run == NULL)
        *(void **)&run = dlsym(RTLD_NEXT, "dvm_across_run");
    dvm_retcode_t code = run(region, context, arrays, digest, willing, ran);
    ran_across += code == DVM_SUCCESS && *ran;
    return code;
}

/* Whether as many regions have run across as were expected since the last call. */
static void ran(int expected)
{
    CHECK(ran_across == (processes > 1 ? expected : 0));
    ran_across = 0;
}

enum { N = 150 };
static word named[N][N], named2[N][N], *pointed, *pointed2, factor = 3;
static const word weights[3] = {7, 11, 13};
static double real[N], real2[N];

static word mixed(word a, word b)
{
    return (a ^ (b << 7)) * 0x9e3779b97f4a7c15u;
}

/* No process that has not run main knows `factor` here. */
static word scaled(word a)
{
    return a * factor + N;
}

static word *filled(size_t count, word seed)
{
    word *words = malloc(count * sizeof *words);
    CHECK(words != NULL);
    for (size_t i = 0; i < count; i++)
        words[i] = seed = seed * 6364136223846793005u + 1442695040888963407u;
    return words;
}

/* File-scope arrays, pointers, values and constants, in two phases. */
static void of_file_scope(int n)
{
#pragma dvm region across
    {
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                named[i][j] = named[i - 1][j] * factor + named[i][j - 1] + weights[0] * pointed[i * N + j] + weights[2];
        for (int i = 1; i < n; i++)
            for (int j = 0; j < n; j++)
                pointed[i * N + j] += named[n - i][j] ^ weights[1];
    }
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            named2[i][j] = named2[i - 1][j] * factor + named2[i][j - 1] + weights[0] * pointed2[i * N + j] + weights[2];
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            pointed2[i * N + j] += named2[n - i][j] ^ weights[1];
}

/* Arrays of variable length, a pointer into the middle of an array, a called function. */
static void of_parameters(int n, int m, word (*restrict u)[m], word *restrict v, word start)
{
#pragma dvm region across
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            u[i][j] = mixed(u[i][j], v[i - 5]) + start;
}

static void of_parameters2(int n, int m, word (*u)[m], word *v, word start)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            u[i][j] = mixed(u[i][j], v[i - 5]) + start;
}

static void parameters(int n, int m)
{
    size_t count = (size_t)n * m;
    word *u = filled(count, 5), *u2 = filled(count, 5), *v = filled(n + 5, 9);
    of_parameters(n, m, (void *)u, v + 5, factor + n);
    of_parameters2(n, m, (void *)u2, v + 5, factor + n);
    CHECK(memcmp(u, u2, count * sizeof *u) == 0);
    free(u), free(u2), free(v);
}

/* Only what stands at file scope: generated functions do not use their context, and gcc says nothing about that. */
static void of_constants(void)
{
#pragma dvm region across
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            pointed[i * N + j] = pointed[i * N - N + j] + pointed[i * N + j - 1] * named[j][i];
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            pointed2[i * N + j] = pointed2[i * N - N + j] + pointed2[i * N + j - 1] * named2[j][i];
}

/* A region that stays in process 0. */
static void tied(void)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            named[i][j] = scaled(named[i][j]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            named2[i][j] = scaled(named2[i][j]);
}

/* Numbers are rounded as the program has asked for. */
static void rounded(void)
{
    for (int i = 0; i < N; i++)
        real[i] = real2[i] = 1.0 + i;
    CHECK(fesetround(FE_UPWARD) == 0);
#pragma dvm region across
    for (int i = 0; i < N; i++)
        real[i] = real[i] / 3.0;
    for (int i = 0; i < N; i++)
        real2[i] = real2[i] / 3.0;
    CHECK(fesetround(FE_TONEAREST) == 0);
    CHECK(memcmp(real, real2, sizeof real) == 0);
}

static void *in_a_thread(void *unused)
{
    parameters(61, 20);
    return unused;
}

static void after_main(void)
{
    of_file_scope(40);
    CHECK(memcmp(named, named2, sizeof named) == 0);
    ran(1);
    puts(failures ? "one_program: failed" : "one_program: ok");
    fflush(stdout);
    if (failures)
        _exit(1);
}

int main(void)
{
    uint64_t me, count;
    pthread_t thread;
    if (dvm_process(&me, &count) == DVM_SUCCESS) {
        CHECK(me == 0);
        processes = (int)count;
    }
    pointed = filled(N * N, 1), pointed2 = filled(N * N, 1);
    CHECK(atexit(after_main) == 0);
    for (int k = 0; k < 4; k++) {
        factor = 3 + k;
        of_file_scope(N - 20 * k);
        CHECK(memcmp(named, named2, sizeof named) == 0);
        CHECK(memcmp(pointed, pointed2, N * N * sizeof *pointed) == 0);
        pointed[k] = pointed2[k] = k; /* main writes between regions */
    }
    ran(4);
    for (int k = 0; k < 6; k++)
        parameters(30 + 17 * (k % 3), 90 - 13 * (k % 2));
    ran(6);
    of_constants();
    CHECK(memcmp(pointed, pointed2, N * N * sizeof *pointed) == 0);
    ran(1);
    tied();
    CHECK(memcmp(named, named2, sizeof named) == 0);
    ran(0);
    rounded();
    ran(1);
    CHECK(pthread_create(&thread, NULL, in_a_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    ran(1);
    if (processes > 1) /* the others have served, so they cannot run main any more */
        CHECK(dvm_init() == DVM_ERR_UNSUPPORTED);
    return 0;
}
