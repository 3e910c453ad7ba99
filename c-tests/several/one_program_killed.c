/* A process that serves the regions of a sequential program ends by a signal; with DVM_RECOVER=1 process 0 goes on, and all
 * values are right. `one_program_killed VICTIM MILLISECONDS`.
 *
 * options: --keep-going
 * environment: DVM_RECOVER=1 DVM_TUNE=0 DVM_TILE=9x20x30 DVM_PLACE=cyclic
 * arguments: 1 5
 * arguments: 1 40
 * arguments: 1 41
 * arguments: 1 97
 * arguments: 3 60
 * arguments: 3 121
 */
#include <dvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* Before libdvm has this process serve: the alarm ends it. */
__attribute__((constructor(200))) static void choose_victim(int argc, char **argv)
{
    const char *process = getenv("DVM_PROCESS");
    if (argc < 3 || process == NULL || strcmp(process, argv[1]) != 0)
        return;
    struct itimerval when = {.it_value = {0, 1000 * atol(argv[2])}};
    setitimer(ITIMER_REAL, &when, NULL);
}

enum { N = 180, STEPS = 12 };
static uint64_t a[N][N], b[N][N];

static void smooth(uint64_t *restrict sum)
{
#pragma dvm region across
    for (int t = 0; t < STEPS; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = a[i][j] * 3 + a[i - 1][j] + (a[i + 1][j] ^ a[i][j - 1]) + a[i][j + 1] * t;
    for (int i = 0; i < N; i++)
        *sum += a[i][i];
}

static void smooth_alone(uint64_t *sum)
{
    for (int t = 0; t < STEPS; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = b[i][j] * 3 + b[i - 1][j] + (b[i + 1][j] ^ b[i][j - 1]) + b[i][j + 1] * t;
    for (int i = 0; i < N; i++)
        *sum += b[i][i];
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

int main(void)
{
    uint64_t sum = 0, sum2 = 0;
    int wrong = 0;
    double begin = now();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = b[i][j] = (uint64_t)(i * 31 + j) * 2654435761u;
    while (now() - begin < 0.3) {
        smooth(&sum);
        smooth_alone(&sum2);
        wrong |= memcmp(a, b, sizeof a) != 0 || sum != sum2;
    }
    printf("one_program_killed: %s\n", wrong ? "failed" : "ok");
    return wrong;
}
