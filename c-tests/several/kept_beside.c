/* Arrays that are kept, in a program where something else runs meanwhile: threads that use the arrays and threads that
 * wait, handlers of signals, and memory of others where an array was.
 *
 * environment: DVM_TUNE=0 DVM_TILE=4096 DVM_PLACE=cyclic
 * also as: 4 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 100000, BYTES = N * 8 };
static int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

static void add(int n, double *restrict x, double r)
{
#pragma dvm region across keep(x)
    for (int i = 0; i < n; i++)
        x[i] = x[i] + r;
}

static void twice(int n, double *restrict y, const double *restrict x)
{
#pragma dvm region across keep(x, y)
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2 + 1;
}

static double fixed[N], seen[N];

static double *filled(double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = i;
    return x;
}

static double *made(void)
{
    double *x = malloc(BYTES);
    return x ? filled(x) : (exit(1), NULL);
}

static double sum(const double *x)
{
    double all = 0;
    for (int i = 0; i < N; i += 37)
        all += x[i];
    return all;
}

static double result;

static void *sums(void *x)
{
    result = sum(x);
    return NULL;
}

/* A thread reads what a region reads, or what it does not use. */
static void beside_threads(void)
{
    double *x = made(), *y = made(), *z = made(), expected = sum(x), count = (N + 36) / 37;
    for (int round = 0; round < 20; round++) {
        add(N, x, round), add(N, z, round);
        expected += round * count;
        pthread_t reader;
        CHECK(pthread_create(&reader, NULL, sums, round % 2 ? x : z) == 0);
        for (int k = 0; k < 3; k++)
            twice(N, y, x);
        CHECK(pthread_join(reader, NULL) == 0);
        CHECK(result == expected);
    }
    CHECK(y[7] == x[7] * 2 + 1);
    free(x), free(y), free(z);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int stage;

static void *waits(void *x)
{
    pthread_mutex_lock(&lock);
    while (stage == 0)
        pthread_cond_wait(&bell, &lock);
    pthread_mutex_unlock(&lock);
    return sums(x);
}

/* One that sleeps until main wakes it does no harm. */
static void beside_a_sleeper(void)
{
    double *x = made(), *y = made();
    pthread_t sleeper;
    CHECK(pthread_create(&sleeper, NULL, waits, y) == 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    for (int k = 0; k < 5; k++)
        add(N, x, 1), twice(N, y, x);
    pthread_mutex_lock(&lock);
    stage = 1;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&lock);
    CHECK(pthread_join(sleeper, NULL) == 0);
    CHECK(result == sum(y) && y[9] == 2 * (9 + 5) + 1);
    free(x), free(y);
}

static void *solves(void *x)
{
    for (int k = 0; k < 3; k++)
        add(N, x, 1);
    pthread_mutex_lock(&lock);
    stage = 2;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static double deep(int depth)
{
    volatile double frame[500];
    memset((void *)frame, 0, sizeof frame);
    return depth ? deep(depth - 1) + frame[depth % 500] : 1;
}

/* Another thread runs the regions, and the array is on main's stack. */
static void on_a_stack(void)
{
    double x[N];
    filled(x);
    pthread_t solver;
    pthread_mutex_lock(&lock);
    CHECK(pthread_create(&solver, NULL, solves, x) == 0);
    while (stage != 2)
        pthread_cond_wait(&bell, &lock);
    pthread_mutex_unlock(&lock);
    CHECK(deep(300) == 1);
    CHECK(pthread_join(solver, NULL) == 0);
    CHECK(x[N - 1] == N - 1 + 3);
}

static volatile sig_atomic_t wrong, alarms;
static volatile double current;

static void on_alarm(int signal)
{
    (void)signal;
    for (int i = 0; i < N; i += N / 64)
        wrong += fixed[i] != i + current;
    alarms++;
}

/* A handler looks at what regions use, and at what they do not. */
static void beside_a_handler(void)
{
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    filled(fixed), filled(seen);
    double *x = made();
    signal(SIGALRM, on_alarm);
    for (int round = 0; round < 20; round++) {
        add(N, fixed, 1);
        current = current + 1;
        setitimer(ITIMER_REAL, &often, NULL);
        for (int k = 0; k < 10; k++)
            twice(N, seen, k % 2 ? x : fixed);
        setitimer(ITIMER_REAL, &never, NULL);
    }
    for (int k = 0; k < 100 && alarms == 0; k++) /* a machine may be slow */
        raise(SIGALRM);
    signal(SIGALRM, SIG_DFL);
    CHECK(alarms > 0 && wrong == 0);
    free(x);
}

static void here(int n, double *restrict x)
{
#pragma dvm region tile(64)
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 0.5 + i;
}

/* The same while libdvm is in the middle of something else. */
static void beside_a_handler_at_any_time(void)
{
    filled(fixed), filled(seen);
    current = alarms = wrong = 0;
    signal(SIGALRM, on_alarm);
    for (int round = 0; round < 300; round++) {
        add(N, fixed, 1);
        current = current + 1;
        const struct itimerval once = {{0, 0}, {0, 20 + round * 37 % 300}};
        int before = alarms;
        setitimer(ITIMER_REAL, &once, NULL);
        while (alarms == before) {
            here(256, seen);
            if (round % 8 == 0) {
                pid_t child = fork();
                if (child == 0)
                    _exit(0);
                CHECK(child > 0 && waitpid(child, NULL, 0) == child);
            }
        }
    }
    signal(SIGALRM, SIG_DFL);
    CHECK(wrong == 0);
}

/* A file that is mapped for reading where a kept array was. */
static void where_a_file_is_now(void)
{
    char name[] = "/tmp/kept-XXXXXX";
    int file = mkstemp(name);
    double *y = made(), *x = made();
    CHECK(file >= 0 && write(file, x, BYTES) == BYTES);
    void *place = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int round = 0; round < 4; round++) {
        int flags = MAP_PRIVATE | MAP_FIXED, is_file = round % 2;
        double *at = is_file ? mmap(place, BYTES, PROT_READ, flags, file, 0)
                             : mmap(place, BYTES, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
        CHECK(at == place);
        for (int i = 0; i < N && !is_file; i++)
            at[i] = 3 * i;
        twice(N, y, at);
        twice(N, y, at);
        CHECK(y[N - 5] == (is_file ? 1 : 3) * 2.0 * (N - 5) + 1 && y[5] == (is_file ? 1 : 3) * 2.0 * 5 + 1);
    }
    munmap(place, BYTES);
    close(file), unlink(name);
    free(x), free(y);
}

/* Memory without rights that is reserved where a kept array was, and gets them later: it is new, and has only zeros. */
static void where_memory_is_reserved_now(void)
{
    double *x = made(), *y = made();
    for (int round = 0; round < 3; round++) {
        double *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        filled(at);
        add(N, at, 1), add(N, at, 1);
        munmap(at, BYTES);
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
        CHECK(mmap(at, BYTES, PROT_NONE, flags, -1, 0) == at);
        twice(N, y, x);
        CHECK(mprotect(at, BYTES, PROT_READ | PROT_WRITE) == 0);
        CHECK(sum(at) == 0);
        add(N, at, 2);
        CHECK(at[N / 2] == 2 && at[N - 1] == 2 && y[N - 1] == 2 * x[N - 1] + 1);
        munmap(at, BYTES);
    }
    free(x), free(y);
}

/* The same of some pages: between them nothing is, and the rest is still the program's. */
static void where_parts_are_reserved_now(void)
{
    enum { PAGE = 4096, TILE = 4096 * 8, HALF = 12 * TILE };
    double *x = made(), *y = made();
    for (int tail = 0; tail < 2; tail++) {
        double *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        filled(at);
        add(N, at, 1), add(N, at, 1);
        int bytes = tail ? HALF : BYTES / TILE * TILE;
        munmap(at, tail ? HALF : BYTES);
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
        for (char *tile = (char *)at; tile < (char *)at + bytes; tile += TILE)
            CHECK(mmap(tile + 3 * PAGE, 4 * PAGE, PROT_NONE, flags, -1, 0) == tile + 3 * PAGE);
        twice(N, y, x);
        int others = 0, own = 0;
        for (char *tile = (char *)at; tile < (char *)at + bytes; tile += TILE) {
            CHECK(mprotect(tile + 3 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE) == 0);
            for (int i = 0; i < 4 * PAGE; i++)
                others += tile[3 * PAGE + i] != 0;
        }
        for (int i = HALF / 8; i < N && tail; i++)
            own += at[i] != i + 2;
        CHECK(others == 0 && own == 0 && y[N - 1] == 2 * x[N - 1] + 1);
        munmap(at, BYTES);
    }
    free(x), free(y);
}

static void rows(int m, int n, double (*restrict x)[1024])
{
#pragma dvm region across keep(x) tile(1, 512)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x[i][j] += i + j;
}

/* More parts than the system has mappings for. */
static void in_many_parts(int m)
{
    double (*x)[1024] = calloc(m, sizeof *x);
    CHECK(x != NULL);
    for (int round = 0; round < 2 && x; round++)
        rows(m, 1024, x);
    int wrong = 0;
    for (int i = 0; i < m && x; i++)
        for (int j = 0; j < 1024; j += 61)
            wrong += x[i][j] != 2.0 * (i + j);
    CHECK(wrong == 0);
    free(x);
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "many") == 0)
        in_many_parts(70000);
    beside_threads();
    beside_a_sleeper();
    on_a_stack();
    beside_a_handler();
    beside_a_handler_at_any_time();
    where_a_file_is_now();
    where_memory_is_reserved_now();
    where_parts_are_reserved_now();
    if (failures == 0)
        puts("kept_beside: ok");
    return failures != 0;
}
