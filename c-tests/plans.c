/* Large plans, and redistributions by them, without memory: each call answers DVM_ERR_MEMORY, nothing leaks, and the same call
 * makes the same plan afterwards. The allocator of this program fails from the n-th call on, for many n; and a limit of the
 * system leaves less and less. */
#include "check.h"
#include "dice.h"
#include "failing.h"
#include "limit.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_MEMORIES = 1 << 16, N = 200000 };

/* ----- distributions ----- */

static dvm_distribution_t dealt(int64_t n, int64_t block, int64_t processes)
{
    dvm_distribution_t made = {0};
    CHECK_OK(dvm_distribution_block_cyclic(1, &n, &block, &processes, &made));
    return made;
}

static dvm_distribution_t product(int64_t n, int64_t a, int64_t p, int64_t b, int64_t q)
{
    int64_t elements[] = {n, n / 2}, block[] = {a, b}, processes[] = {p, q};
    dvm_distribution_t made = {0};
    CHECK_OK(dvm_distribution_block_cyclic(2, elements, block, processes, &made));
    return made;
}

static dvm_distribution_t text(const char *words)
{
    dvm_distribution_t made = {0};
    CHECK_OK(dvm_distribution_parse(words, "", &made));
    return made;
}

static struct {
    const char *name;
    dvm_distribution_t source, target;
} shapes[7];
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void set_up(void)
{
    int k = 0;
    shapes[k].name = "block-cyclic to block";
    shapes[k].source = dealt(N, 3, 7), shapes[k++].target = dealt(N, 0, 5);
    shapes[k].name = "many memories";
    shapes[k].source = dealt(N, 2, N / 8), shapes[k++].target = dealt(N, 1, N / 16);
    shapes[k].name = "scattered";
    shapes[k].source = text("t = 0\n+ 7*a arch pe 0 .. 2\n+ 31*b arch pe 0 .. 3\n+ 97*c arch pe 0 .. 4\n+ 1013*l data local 0 .. 300");
    shapes[k++].target = text("t = 0\n+ 1*p arch pe 0 .. 1012\n+ 1013*l data local 0 .. 300");
    shapes[k].name = "overlapping strides";
    shapes[k].source = text("t = 0\n+ 31*x arch pe 0 .. 400\n+ 17*y data local 0 .. 500");
    shapes[k++].target = text("t = 0\n+ 5*p arch pe 0 .. 4\n+ 25*l data local 0 .. 900");
    shapes[k].name = "a product";
    shapes[k].source = product(600, 3, 4, 7, 3), shapes[k++].target = product(600, 0, 5, 2, 4);
    shapes[k].name = "folded";
    shapes[k].source = dealt((int64_t)N * 1000, 64, 32), shapes[k++].target = dealt((int64_t)N * 1000, 96, 20);
    shapes[k].name = "linked";
    shapes[k].source = text("t = 0\n+ 1*i data local 0 .. 399\n\nt = 0\n+ 140*p arch pe 0 .. 2\n+ 1*j data local 0 .. min(139, i)");
    shapes[k++].target = text("t = 0\n+ 7*p arch pe 0 .. 57\n+ 1*i data local 0 .. 6\n\nt = 0\n+ 1*j data local 0 .. 399");
    CHECK_NUMBER(SHAPES, k);
}

/* ----- a plan, and what it says ----- */

static uint64_t mixed(uint64_t state, uint64_t value)
{
    return (state ^ value) * 0x100000001b3u;
}

static uint64_t said_by(dvm_redistribution_t plan)
{
    dvm_redistribution_figures_t f = {.size = sizeof f};
    uint64_t all = 0xcbf29ce484222325u;
    CHECK_OK(dvm_redistribution_figures(plan, 8, &f));
    const int64_t figures[] = {f.elements, f.missing, f.messages, f.largest_message, f.descriptors, f.largest_load, f.least_load};
    for (int k = 0; k < 7; k++)
        all = mixed(all, (uint64_t)figures[k]);
    for (int64_t k = 0; k < f.descriptors; k++) {
        int64_t numbers[64] = {0};
        CHECK_OK(dvm_redistribution_descriptor(plan, k, numbers, 64));
        for (int i = 0; i < 5 + 3 * numbers[4]; i++)
            all = mixed(all, (uint64_t)numbers[i]);
    }
    return all;
}

static dvm_retcode_t plan(int shape, int flags, uint64_t *said)
{
    dvm_redistribution_t made = {0};
    dvm_retcode_t code = dvm_redistribution_plan(shapes[shape].source, shapes[shape].target, flags, &made);
    long fails = countdown;
    countdown = 0;
    if (code == DVM_SUCCESS) {
        if (said)
            *said = said_by(made);
        CHECK_OK(dvm_redistribution_free(made));
    }
    countdown = fails;
    return code;
}

/* The bytes that the C library has given away, and those that a thread keeps at hand of what it has freed: seven blocks of each
 * size up to 1 KiB. Leaks to the byte are what redist/tests/memory.rs looks for. */
enum { CACHED = 256 << 10 };
static size_t in_use(void)
{
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

/* ----- calls fail from the n-th on ----- */

static dice_t dice;

static void calls_fail(int shape, int flags, int times)
{
    uint64_t expected = 0, again = 0;
    CHECK_OK(plan(shape, flags, &expected));
    /* How many calls there are: no failure is so far away. */
    failed = 0, for_good = 1, smallest = 0, countdown = 1L << 40;
    CHECK_OK(plan(shape, flags, NULL));
    long calls = (1L << 40) - countdown;
    countdown = 0;
    size_t before = in_use();
    int refusals = 0;
    for (int k = 0; k < times && k < calls; k++) {
        long n = calls <= times ? k + 1 : 1 + (long)(dice_next(&dice) % (uint64_t)calls);
        failed = 0, for_good = k % 4 != 3, countdown = n;
        dvm_retcode_t code = plan(shape, flags, NULL);
        countdown = 0;
        if (code != DVM_ERR_MEMORY && code != DVM_SUCCESS)
            fprintf(stderr, "%s, flags %d, call %ld of %ld: code %d\n", shapes[shape].name, flags, n, calls, (int)code);
        CHECK(code == DVM_ERR_MEMORY || code == DVM_SUCCESS);
        refusals += code == DVM_ERR_MEMORY;
    }
    CHECK(refusals > 0);
    CHECK(in_use() < before + CACHED);
    CHECK_OK(plan(shape, flags, &again));
    CHECK_NUMBER(expected, again);
}

/* ----- a round finds no memory ----- */

static dvm_data_id_t from[MOST_MEMORIES], to[MOST_MEMORIES];

static void rounds_fail(void)
{
    enum { SOURCES = 25000, TARGETS = 12500 };
    dvm_redistribution_t made = {0};
    size_t element = 1;
    CHECK_OK(dvm_redistribution_plan(shapes[1].source, shapes[1].target, 0, &made));
    for (int64_t m = 0; m < SOURCES; m++) {
        void *at;
        size_t size;
        CHECK_OK(dvm_data_allocate(8, &from[m]));
        CHECK_OK(dvm_data_get(from[m], &at, &size));
        for (int i = 0; i < 8; i++)
            ((char *)at)[i] = (char)(m / (i + 1));
        CHECK_OK(dvm_data_put(from[m]));
    }
    for (int64_t m = 0; m < TARGETS; m++)
        CHECK_OK(dvm_data_allocate(16, &to[m]));
    int refusals = 0;
    dvm_retcode_t code = DVM_ERR_MEMORY;
    for (long n = 1; code != DVM_SUCCESS && n < 1L << 40; n += n < 200 ? 1 : n / 16) {
        for (int m = 0; m < TARGETS; m += 1000) {
            void *at;
            size_t size;
            CHECK_OK(dvm_data_get(to[m], &at, &size));
            memset(at, 0, size);
            CHECK_OK(dvm_data_put(to[m]));
        }
        for_good = 1, countdown = n;
        code = dvm_redistribute(made, 1, &element, from, to);
        countdown = 0;
        CHECK(code == DVM_ERR_MEMORY || code == DVM_SUCCESS);
        refusals += code == DVM_ERR_MEMORY;
    }
    CHECK_OK(code);
    CHECK(refusals > 0);
    for (int64_t t = 0; t < N; t += 997) { /* the t-th element: blocks of 2 there, of 1 here, all dealt round-robin */
        void *source, *target;
        size_t size;
        int64_t block = t / 2, s = block % SOURCES, d = t % TARGETS;
        CHECK_OK(dvm_data_get(from[s], &source, &size));
        CHECK_OK(dvm_data_get(to[d], &target, &size));
        CHECK_NUMBER((unsigned char)((char *)source)[block / SOURCES * 2 + t % 2], (unsigned char)((char *)target)[t / TARGETS]);
        CHECK_OK(dvm_data_put(from[s]));
        CHECK_OK(dvm_data_put(to[d]));
    }
    for (int64_t m = 0; m < SOURCES; m++)
        CHECK_OK(dvm_data_relax(from[m]));
    for (int64_t m = 0; m < TARGETS; m++)
        CHECK_OK(dvm_data_relax(to[m]));
    CHECK_OK(dvm_redistribution_free(made));
}

/* Every memory gets strides of its own: the list of them grows. */
static void strides_fail(void)
{
    enum { MEMORIES = 20000 };
    dvm_distribution_t d = dealt(4 * MEMORIES, 1, MEMORIES);
    int refusals = 0;
    for (int64_t m = 0; m < MEMORIES; m++) {
        int64_t stride = 1 + m % 3;
        if (m % 200 == 0) {
            for_good = 1, countdown = 1 + dice_below(&dice, 8);
            dvm_retcode_t code = dvm_distribution_set_strides(d, m, &stride, 1);
            countdown = 0;
            CHECK(code == DVM_ERR_MEMORY || code == DVM_SUCCESS);
            refusals += code == DVM_ERR_MEMORY;
        }
        CHECK_OK(dvm_distribution_set_strides(d, m, &stride, 1));
    }
    CHECK(refusals > 0);
    CHECK_OK(dvm_distribution_free(d));
}

/* ----- a limit of the system ----- */

static void with_a_limit_of(size_t kib)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit before, limit;
        alarm(250);
        CHECK_OK(dvm_init());
        set_up();
        CHECK_NUMBER(0, getrlimit(RLIMIT_AS, &before));
        for (int k = 0; k < SHAPES; k++) {
            uint64_t expected = 0, again = 0;
            malloc_trim(0);
            limit = before;
            limit.rlim_cur = address_space() + (kib << 10);
            CHECK_NUMBER(0, setrlimit(RLIMIT_AS, &limit));
            for (int flags = 0; flags < 2; flags++) {
                dvm_retcode_t code = plan(k, flags, flags ? NULL : &again);
                CHECK(code == DVM_ERR_MEMORY || code == DVM_SUCCESS);
            }
            CHECK_NUMBER(0, setrlimit(RLIMIT_AS, &before));
            CHECK_OK(plan(k, 0, &expected));
            CHECK(again == 0 || again == expected);
        }
        CHECK_OK(dvm_finalize());
        _exit(check_end("plans under a limit"));
    }
    int status = 0;
    CHECK_NUMBER(child, waitpid(child, &status, 0));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fprintf(stderr, "with %zu KiB: status %d\n", kib, status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int count, char **words)
{
    const char *given = getenv("DVM_TEST_SEED");
    int times = count > 1 ? atoi(words[1]) : 16;
    dice.state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000 + (uint64_t)getpid() % 1000;
    printf("seed %" PRIu64 " (replay with DVM_TEST_SEED)\n", dice.state);
    for (size_t kib = 24 << 10; kib > 0; kib /= 2)
        with_a_limit_of(kib);
    CHECK_OK(dvm_init());
    set_up();
    for (int k = 0; k < SHAPES; k++) {
        calls_fail(k, 0, times);
        calls_fail(k, DVM_REDISTRIBUTION_BALANCE, times);
    }
    rounds_fail();
    strides_fail();
    CHECK_OK(dvm_finalize());
    return check_end("plans");
}
