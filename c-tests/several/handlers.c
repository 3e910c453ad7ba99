/* Programs with signals of their own, around loops in which nothing but regions uses their arrays. In a job handlers wait while a
 * thread is inside such a region; in one process they do not, and must not leave it.
 *
 * compiled with: --across
 * environment: DVM_TUNE=0 DVM_TILE=7 DVM_ACROSS=1
 * also as: 4
 * arguments: blocked
 * arguments: stack
 * arguments: jump
 * arguments: exit
 */
#include <dvm.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { N = 300 };
static double a[N][N], b[N][N];
static sigjmp_buf out;
static int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

static void step(int first, int end)
{
#pragma dvm region
    for (int i = first; i < end - 1; i++)
        for (int j = 1; j < N - 1; j++)
            b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
#pragma dvm region
    for (int i = first; i < end - 1; i++)
        for (int j = 1; j < N - 1; j++)
            a[i][j] = b[i][j];
}

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i * j % 17;
            b[i][j] = 0;
        }
}

/* Whether the system gets all of an array. */
static int is_written(void)
{
    FILE *file = tmpfile();
    const int whole = file && write(fileno(file), a, sizeof a) == (ssize_t)sizeof a;
    if (file)
        fclose(file);
    return whole;
}

/* Tiles of this process touch pages that are closed to main: the system must be able to tell. */
static void blocked(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    fill();
    for (int t = 0; t < 6; t++) {
        step(1 + t * 20, N - t * 30);
        step(1, N);
    }
    CHECK(is_written());
}

/* An alternate stack for which no handler is left is memory like any other. */
static void stack(void)
{
    static unsigned char memory[1 << 16];
    stack_t alternate;
    memset(&alternate, 0, sizeof alternate);
    alternate.ss_sp = memory;
    alternate.ss_size = sizeof memory;
    sigaltstack(&alternate, NULL);
    memset(memory, 7, sizeof memory);
    fill();
    for (int t = 0; t < 6; t++) {
        step(1 + t * 20, N - t * 30);
        step(1, N);
    }
    int changed = 0;
    for (size_t k = 0; k < sizeof memory; k++)
        changed += memory[k] != 7;
    CHECK(changed == 0);
}

static void jumps(int signal)
{
    (void)signal;
    siglongjmp(out, 1);
}

static void save(void)
{
    if (!is_written()) {
        puts("handlers: not all is written");
        fflush(stdout);
        _exit(1);
    }
}

static void ends(int signal)
{
    (void)signal;
    puts("handlers: ok");
    exit(0);
}

static void after(int microseconds, void (*handler)(int))
{
    struct sigaction action;
    struct itimerval timer = {{0, 0}, {0, microseconds}};
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void jump(void)
{
    for (volatile int round = 0; round < 5; round++) {
        fill();
        if (!sigsetjmp(out, 1)) {
            after(30000 + round * 777, jumps);
            for (long t = 0; t < 100000000; t++)
                step(1, N);
        }
        CHECK(is_written());
        for (int t = 0; t < 3; t++)
            step(1, N);
        CHECK(is_written());
    }
}

int main(int argc, char **argv)
{
    /* A program that names this variable may be one for all processes. */
    char name[20];
    if (argc < 2)
        return 2;
    snprintf(name, sizeof name, "%s_%sES", "DVM", "PROCESS" + (failures != 0));
    const char *processes = getenv(name);
    const int several = processes != NULL && atoi(processes) > 1;
    if (strcmp(argv[1], "blocked") == 0) {
        blocked();
    } else if (strcmp(argv[1], "stack") == 0) {
        stack();
    } else if (strcmp(argv[1], "jump") == 0 && several) {
        jump();
    } else if (strcmp(argv[1], "exit") == 0 && several) {
        atexit(save);
        fill();
        after(100000, ends);
        for (long t = 0; t < 100000000; t++)
            step(1, N);
    }
    puts(failures ? "handlers: failed" : "handlers: ok");
    return failures != 0;
}
