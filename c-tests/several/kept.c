/* Arrays that stay on the processes between regions (clause `keep`), in a program that process 0 alone runs.
 *
 * environment: DVM_TUNE=0 DVM_TILE=16x16
 * also as: 4
 *
 * Every computation is done twice; the one without a pragma is the reference. Between the regions main reads and writes
 * here and there, gives memory back, and lets the system read. */
#include <dvm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t word;
static int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

enum { N = 260 };

static void step(int n, const word (*restrict a)[N], word (*restrict b)[N])
{
#pragma dvm region across keep(a, b)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = a[i][j] + 3 * a[i - 1][j] + 5 * a[i + 1][j] + 7 * a[i][j - 1] + (a[i][j + 1] >> 1);
}

static void step2(int n, const word (*a)[N], word (*b)[N])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = a[i][j] + 3 * a[i - 1][j] + 5 * a[i + 1][j] + 7 * a[i][j - 1] + (a[i][j + 1] >> 1);
}

/* Reads what other regions keep, and keeps nothing. */
static void turned(int n, const word (*restrict a)[N], word (*restrict b)[N])
{
#pragma dvm region across
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] ^= a[n - 1 - i][j] * 11;
}

static void turned2(int n, const word (*a)[N], word (*b)[N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] ^= a[n - 1 - i][j] * 11;
}

/* A region of process 0 alone. */
static void here(int n, word (*restrict a)[N], const word (*restrict b)[N])
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += b[i][j] >> 3;
}

static void here2(int n, word (*a)[N], const word (*b)[N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += b[i][j] >> 3;
}

static word random_state = 88172645463325252u;

static word next(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static size_t at(void)
{
    return next() % ((size_t)N * N);
}

static word sum(const word *a)
{
    word all = 0;
    for (size_t i = 0; i < (size_t)N * N; i++)
        all = all * 31 + a[i];
    return all;
}

static void *reads(void *a)
{
    return (void *)(uintptr_t)sum(a);
}

/* Some of all that regions and main may do, in an order that nobody has thought of. */
static void mixed(word *a, word *b, word *a2, word *b2, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        int n = N - (int)(next() % 3) * 20;
        switch (next() % 9) {
        case 0: case 1: case 2:
            step(n, (void *)a, (void *)b), step2(n, (void *)a2, (void *)b2);
            break;
        case 3: case 4:
            step(n, (void *)b, (void *)a), step2(n, (void *)b2, (void *)a2);
            break;
        case 5:
            turned(n, (void *)a, (void *)b), turned2(n, (void *)a2, (void *)b2);
            break;
        case 6:
            here(n, (void *)a, (void *)b), here2(n, (void *)a2, (void *)b2);
            break;
        case 7:
            for (int k = 0; k < 20; k++) {
                size_t i = at();
                CHECK(a[i] == a2[i]);
                i = at(), a[i] = a2[i] = next();
                i = at(), b[i] += i, b2[i] += i;
            }
            break;
        default:
            for (int k = 0; k < 50; k++) {
                size_t i = at();
                CHECK(b[i] == b2[i]);
            }
        }
    }
    CHECK(sum(a) == sum(a2) && sum(b) == sum(b2));
}

static word *filled(void *place)
{
    word *words = place;
    for (size_t i = 0; i < (size_t)N * N; i++)
        words[i] = i * 0x9e3779b97f4a7c15u;
    return words;
}

static word fixed[N * N], fixed2[N * N], other[N * N], other2[N * N];

/* Mapped memory that is given back, and mapped again at the same place. */
static void mapped_again(void)
{
    size_t bytes = sizeof fixed;
    word *b = filled(malloc(bytes)), *b2 = filled(malloc(bytes));
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int turn = 0; turn < 3; turn++) {
        word *a = filled(place), *a2 = filled(malloc(bytes));
        for (size_t i = 0; i < (size_t)N * N; i++)
            a[i] += turn, a2[i] += turn;
        step(N, (void *)a, (void *)b), step2(N, (void *)a2, (void *)b2);
        step(N, (void *)b, (void *)a), step2(N, (void *)b2, (void *)a2);
        munmap(a, bytes);
        CHECK(mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == place);
        free(a2);
        word *zero = calloc(N * N, sizeof *zero);
        step(N, (void *)place, (void *)b), step2(N, (void *)zero, (void *)b2);
        free(zero);
    }
    CHECK(sum(b) == sum(b2));
    munmap(place, bytes), free(b), free(b2);
}

/* Main writes all of an array and unmaps it; a file is mapped where it was. */
static void file_in_its_place(void)
{
    static word from[N][N], to[N][N];
    size_t bytes = sizeof from / 4096 * 4096 + 4096;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            from[i][j] = to[i][j] = (word)(i * 7 + j * 3) % 11;
    word(*own)[N] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    step(N, (const word(*)[N])from, own);
    step(N, (const word(*)[N])own, from);
    memset(own, 0, bytes);
    munmap(own, bytes);
    FILE *file = tmpfile();
    CHECK(file != NULL && ftruncate(fileno(file), (off_t)bytes) == 0);
    word(*shared)[N] = mmap(own, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(file), 0);
    word(*expected)[N] = calloc(N, sizeof *expected);
    CHECK((void *)shared == (void *)own && expected != NULL);
    memcpy(to, from, sizeof to);
    for (int turn = 0; turn < 2; turn++) {
        step(N, (const word(*)[N])from, shared);
        step(N, (const word(*)[N])shared, from);
        step2(N, (const word(*)[N])to, expected);
        step2(N, (const word(*)[N])expected, to);
    }
    CHECK(!memcmp(from, to, sizeof to) && !memcmp(shared, expected, sizeof from));
    munmap(shared, bytes);
    fclose(file);
    free(expected);
}

/* Only a part is given back: the other part is as it was. */
static void partly_unmapped(void)
{
    size_t bytes = sizeof fixed, half = bytes / 2 / 4096 * 4096;
    word *a = filled(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    word *b = filled(malloc(bytes)), *a2 = filled(malloc(bytes)), *b2 = filled(malloc(bytes));
    step(N, (void *)a, (void *)b), step2(N, (void *)a2, (void *)b2);
    step(N, (void *)b, (void *)a), step2(N, (void *)b2, (void *)a2);
    munmap((char *)a + half, bytes - half);
    CHECK(a[half / sizeof *a - 9] == a2[half / sizeof *a - 9]);
    step(N / 3, (void *)b, (void *)a), step2(N / 3, (void *)b2, (void *)a2);
    CHECK(memcmp(a, a2, half) == 0 && memcmp(b, b2, bytes) == 0);
    munmap(a, half), free(b), free(a2), free(b2);
}

/* The system does not get old bytes. */
static void written(word *a, word *b)
{
    step(N, (void *)a, (void *)b);
    step(N, (void *)b, (void *)a);
    int null = open("/dev/null", O_WRONLY), ends[2];
    CHECK(pipe(ends) == 0);
    errno = 0;
    long told = write(ends[1], &a[N * N / 2], 4096);
    CHECK(told == 4096 || errno == EFAULT || told < 4096);
    close(ends[0]), close(ends[1]), close(null);
}

static volatile sig_atomic_t caught;
static char *closed;

static void on_fault(int signal)
{
    (void)signal;
    caught++;
    mprotect(closed, 4096, PROT_READ | PROT_WRITE);
}

/* The program's own handler still gets what is its own. */
static void own_handler(word *a, word *b, word *a2, word *b2)
{
    signal(SIGSEGV, on_fault);
    closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    step(N, (void *)a, (void *)b), step2(N, (void *)a2, (void *)b2);
    step(N, (void *)b, (void *)a), step2(N, (void *)b2, (void *)a2);
    closed[0] = 1;
    CHECK(caught == 1);
    CHECK(sum(a) == sum(a2) && sum(b) == sum(b2));
    CHECK(caught == 1);
    munmap(closed, 4096);
    signal(SIGSEGV, SIG_DFL);
}

int main(void)
{
    size_t bytes = sizeof fixed;
    mixed(filled(fixed), filled(other), filled(fixed2), filled(other2), 60);
    word *a = filled(malloc(bytes)), *b = filled(malloc(bytes)), *a2 = filled(malloc(bytes)), *b2 = filled(malloc(bytes));
    mixed(a, b, a2, b2, 60);
    mixed(a, fixed, a2, fixed2, 30);
    pthread_t threads[3];
    step(N, (void *)a, (void *)b), step2(N, (void *)a2, (void *)b2);
    step(N, (void *)b, (void *)a), step2(N, (void *)b2, (void *)a2);
    for (int k = 0; k < 3; k++)
        CHECK(pthread_create(&threads[k], NULL, reads, a) == 0);
    for (int k = 0; k < 3; k++) {
        void *told;
        CHECK(pthread_join(threads[k], &told) == 0 && (word)(uintptr_t)told == sum(a2));
    }
    mapped_again();
    partly_unmapped();
    file_in_its_place();
    written(a, b);
    free(a), free(b);
    a = filled(malloc(bytes)), b = filled(malloc(bytes));
    filled(a2), filled(b2);
    mixed(a, b, a2, b2, 20);
    own_handler(a, b, a2, b2);
    step(N, (void *)a, (void *)fixed), step2(N, (void *)a2, (void *)fixed2);
    step(N, (void *)fixed, (void *)a), step2(N, (void *)fixed2, (void *)a2);
    /* Memory that is kept until the end, and is there no more. */
    word *gone = filled(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    step(N, (void *)a, (void *)gone);
    munmap(gone, bytes);
    if (failures == 0)
        puts("kept: ok");
    return failures != 0;
}
