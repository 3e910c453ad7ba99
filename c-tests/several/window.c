/* A region with the clause `across` whose values go one way: process 1 is slow, and process 0 waits for it after a few steps.
 * What waits in process 1 is the same for 4 times as many steps, as the bytes that DVM_VERBOSE tells.
 *
 * environment: DVM_VERBOSE=1 DVM_REGION_STEPS=2 DVM_TUNE=0 DVM_PLACE=block,block@1x2
 */
#include "several.h"
#include <unistd.h>

enum { N = 64, STEPS = 400 };
static double a[STEPS + 1][N], alone[STEPS + 1][N];

static double slow(double x, int i)
{
    if (i == N - 1 && process_count > 1)
        usleep(200);
    return x;
}

static void run(int steps)
{
#pragma dvm region across tile(1, 32) pure(slow) name(one_way)
    for (int t = 1; t <= steps; t++)
        for (int i = 1; i < N; i++)
            a[t][i] = slow(0.5 * (a[t - 1][i] + a[t][i - 1]), i);
}

/* The same, with the window and an earliest time for messages in the text. */
static void run_kept(int steps)
{
#pragma dvm region across tile(1, 32) pure(slow) name(kept) buffers(3) ahead(1)
    for (int t = 1; t <= steps; t++)
        for (int i = 1; i < N; i++)
            a[t][i] = slow(0.5 * (a[t - 1][i] + a[t][i - 1]), i);
}

static void run_alone(int steps)
{
    for (int t = 1; t <= steps; t++)
        for (int i = 1; i < N; i++)
            alone[t][i] = 0.5 * (alone[t - 1][i] + alone[t][i - 1]);
}

/* The bytes that have waited in this process during the region; -1 if it does not tell. */
static long waited(void (*run)(int), const char *name, int steps)
{
    char text[4096], path[] = "/tmp/dvm-window-XXXXXX";
    int file = mkstemp(path), before = dup(2);
    unlink(path);
    fflush(stderr);
    dup2(file, 2);
    run(steps);
    fflush(stderr);
    dup2(before, 2);
    close(before);
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    fputs(text, stderr);
    const char *at = strstr(text, "; at most ");
    return strstr(text, name) && at ? atol(at + strlen("; at most ")) : -1;
}

int main(void)
{
    several_begin();
    for (int i = 0; i < N; i++)
        for (int t = 0; t <= STEPS; t++)
            a[t][i] = alone[t][i] = i + 3 * t;
    run_alone(STEPS);
    long few = waited(run, "region 'one_way' on ", STEPS / 4), many = waited(run, "region 'one_way' on ", STEPS);
    CHECK(memcmp(a, alone, sizeof a) == 0);
    memset(a[1], 0, sizeof a - sizeof *a);
    for (int t = 1; t <= STEPS; t++)
        a[t][0] = 3 * t;
    long kept = waited(run_kept, "region 'kept' on ", STEPS);
    CHECK(memcmp(a, alone, sizeof a) == 0);
    if (process_count > 1) {
        /* One element of each step of the window, and that of the step which the process is in. */
        long most = process_index == 1 ? 3 * (long)sizeof(double) : 0;
        CHECK(few >= 0 && few <= most && many >= 0 && many <= most);
        /* A message leaves one step before its reader's. */
        CHECK(kept >= 0 && kept <= (process_index == 1 ? 2 * (long)sizeof(double) : 0));
    }
    return several_end("window");
}
