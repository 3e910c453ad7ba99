/* Checks for the tests of the C interface. A failed check is reported with its place and the program goes on, so that
 * one run shows all failures; check_end() returns the exit status. Tasks may make checks. */
#ifndef DVM_CHECK_H
#define DVM_CHECK_H

#include <dvm.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus /* whose stdatomic.h comes with C++23 */
#include <atomic>
using std::atomic_fetch_add;
using std::atomic_int;
using std::atomic_load;
#else
#include <stdatomic.h>
#endif

static atomic_int check_count, check_failures;

static inline void check_report(int good, const char *file, int line, const char *what)
{
    atomic_fetch_add(&check_count, 1);
    if (good)
        return;
    /* A loop of 100,000 checks must not hide its own first failure. */
    if (atomic_fetch_add(&check_failures, 1) < 20)
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

#define CHECK(condition) check_report(!!(condition), __FILE__, __LINE__, #condition)

static inline void check_number(uint64_t expected, uint64_t found, const char *file, int line, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s is %" PRIu64 ", expected %" PRIu64, what, found, expected);
    check_report(expected == found, file, line, text);
}

#define CHECK_NUMBER(expected, found) \
    check_number((uint64_t)(expected), (uint64_t)(found), __FILE__, __LINE__, #found)

static inline void check_code(dvm_retcode_t expected, dvm_retcode_t found, const char *file, int line, const char *what)
{
    char text[1024];
    const char *detail = found == DVM_SUCCESS ? "" : dvm_last_error();
    if (expected != found)
        snprintf(text, sizeof text, "%s: code %d (%s), expected %d (%s) %s", what, (int)found, dvm_strerror(found),
                 (int)expected, dvm_strerror(expected), detail);
    check_report(expected == found, file, line, expected == found ? "" : text);
    if (found != DVM_SUCCESS)
        check_report(detail != NULL && detail[0] != '\0', file, line, "an error has a text in dvm_last_error()");
}

/* The call returns exactly this code; an error also fills dvm_last_error(). */
#define CHECK_CODE(expected, call) check_code((expected), (call), __FILE__, __LINE__, #call)
#define CHECK_OK(call) CHECK_CODE(DVM_SUCCESS, call)

static inline void check_mentions(const char *part, const char *file, int line)
{
    char text[1024];
    const char *detail = dvm_last_error();
    int good = detail != NULL && strstr(detail, part) != NULL;
    snprintf(text, sizeof text, "dvm_last_error() is \"%s\", expected to mention \"%s\"", detail ? detail : "(null)", part);
    check_report(good, file, line, text);
}

/* The calling thread's last error contains this text. */
#define CHECK_MENTIONS(part) check_mentions((part), __FILE__, __LINE__)

/* For the end of main: prints the count and returns the exit status. */
static inline int check_end(const char *name)
{
    int failed = atomic_load(&check_failures);
    printf("%s: %d checks, %d failed\n", name, atomic_load(&check_count), failed);
    return failed == 0 && atomic_load(&check_count) > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline void check_sleep(int milliseconds)
{
    struct timespec pause = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    nanosleep(&pause, NULL);
}

/* ----- the machine, as tests see it ----- */

/* How many processes were started together. */
static inline uint64_t check_processes(void)
{
    const char *processes = getenv("DVM_PROCESSES");
    return processes ? (uint64_t)atoi(processes) : 1;
}

/* The i-th PU modulo their number. Compiled with DVM_TEST_OWN_RANKS: of those of process 0, when all processes have as
 * many; for programs whose tasks share variables with main. */
static inline void nth_rank(uint64_t i, dvm_rank_t rank)
{
    uint64_t count = 0;
    CHECK_OK(dvm_rank_count(&count));
#ifdef DVM_TEST_OWN_RANKS
    count /= check_processes();
#endif
    CHECK_OK(dvm_rank_at(count ? i % count : 0, rank, DVM_MAX_RANK_DEPTH));
}

static inline int same_rank(const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, sizeof(dvm_rank_t)) == 0;
}

/* ----- operations on data, in one line each ----- */

static inline void new_number(dvm_data_id_t id, int64_t value)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_allocate(sizeof value, (dvm_data_id_t *)id));
    CHECK_OK(dvm_data_get(id, &at, &size));
    if (at)
        memcpy(at, &value, sizeof value);
    CHECK_OK(dvm_data_put(id));
}

/* The number in a datum, read in a task or outside; -1 if the get fails. */
static inline int64_t number_in(dvm_data_id_t id)
{
    void *at = NULL;
    size_t size = 0;
    int64_t value = -1;
    if (dvm_data_get(id, &at, &size) != DVM_SUCCESS || size != sizeof value)
        return -1;
    memcpy(&value, at, sizeof value);
    dvm_data_put(id);
    return value;
}

/* For tasks: write their own output. */
static inline int set_number(dvm_data_id_t id, int64_t value)
{
    void *at = NULL;
    size_t size = 0;
    dvm_retcode_t code = dvm_data_get(id, &at, &size);
    if (code != DVM_SUCCESS || size != sizeof value)
        return -1;
    memcpy(at, &value, sizeof value);
    return 0;
}

/* A freed datum's identifier is recognised. */
#define CHECK_GONE(id) CHECK_CODE(DVM_ERR_ID, dvm_data_relax(id))

#endif
