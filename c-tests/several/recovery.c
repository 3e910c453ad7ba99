/* A process other than 0 is killed at a random instant, and the result is right: `recovery KIND SEED MICROSECONDS`. Tasks only
 * read their inputs and write their outputs, process 0 schedules all of them and is the home of all data.
 *
 * environment: DVM_RECOVER=1
 * only by dvmrun: mpirun ends the job when a process is killed
 * kills: map-reduce cholesky
 * arguments: map-reduce 1 60000
 * arguments: map-reduce 2 90000
 * arguments: map-reduce 3 120000
 * arguments: map-reduce 4 180000
 * arguments: map-reduce 5 250000
 * arguments: cholesky 1 60000
 * arguments: cholesky 2 90000
 * arguments: cholesky 3 120000
 * arguments: cholesky 4 180000
 * arguments: cholesky 5 250000
 */
#include "several.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static uint64_t seed, latest;
static const char *kind;

/* ----- a tiled Cholesky factorisation: chains of next ----- */

static int edge_of(size_t size)
{
    return (int)(sqrt((double)(size / sizeof(double))) + 0.5);
}

static void do_potrf(int n, double *a)
{
    for (int k = 0; k < n; k++) {
        a[k * n + k] = sqrt(a[k * n + k]);
        for (int i = k + 1; i < n; i++)
            a[i * n + k] /= a[k * n + k];
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
}

static void do_trsm(int n, const double *l, double *a)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            double sum = a[i * n + k];
            for (int j = 0; j < k; j++)
                sum -= a[i * n + j] * l[k * n + j];
            a[i * n + k] = sum / l[k * n + k];
        }
}

static void do_gemm(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = c[i * n + j];
            for (int k = 0; k < n; k++)
                sum -= a[i * n + k] * b[j * n + k];
            c[i * n + j] = sum;
        }
}

static double *tile(dvm_data_id_t id, int *n)
{
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(id, &at, &size));
    *n = edge_of(size);
    return at;
}

static int potrf(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    int n;
    double *a = tile(ids[1], &n);
    return a ? (do_potrf(n, a), 0) : 1;
}

static int trsm(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    int n;
    double *l = tile(ids[0], &n), *a = tile(ids[2], &n);
    return l && a ? (do_trsm(n, l, a), 0) : 1;
}

static int gemm(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    int n;
    double *a = tile(ids[0], &n), *b = tile(ids[1], &n), *c = tile(ids[3], &n);
    return a && b && c ? (do_gemm(n, a, b, c), 0) : 1;
}

static dvm_processing_id_t potrf_id, trsm_id, gemm_id;

/* Schedules an update of `tile`, whose last version it becomes. */
static void update(uint64_t rank, dvm_processing_id_t p, dvm_data_id_t *read, int count, dvm_data_id_t tile)
{
    dvm_data_id_t ids[4];
    for (int i = 0; i < count; i++) {
        dvm_id_copy(ids[i], read[i]);
        CHECK_OK(dvm_data_acquire(read[i]));
    }
    dvm_id_copy(ids[count], tile);
    CHECK_OK(dvm_data_next(tile, &ids[count + 1]));
    CHECK_OK(on_rank(rank, p, ids, count + 2));
    dvm_id_copy(tile, ids[count + 1]);
}

static void factorise(int tiles, int n)
{
    size_t bytes = sizeof(double) * n * n;
    double **matrix = malloc(sizeof *matrix * tiles * tiles), *found = malloc(bytes);
    dvm_data_id_t *ids = malloc(sizeof *ids * tiles * tiles);
#define AT(i, j) ((i) * tiles + (j))
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            double *a = matrix[AT(i, j)] = malloc(bytes);
            for (int x = 0; x < n; x++)
                for (int y = 0; y < n; y++) {
                    int row = i * n + x, column = j * n + y;
                    a[x * n + y] = row == column ? tiles * n + 1.0 : 1.0 / (1 + abs(row - column));
                }
            new_bytes(ids[AT(i, j)], a, bytes);
        }
    for (int k = 0; k < tiles; k++) {
        update(k, potrf_id, NULL, 0, ids[AT(k, k)]);
        do_potrf(n, matrix[AT(k, k)]);
        for (int i = k + 1; i < tiles; i++) {
            update(i + k, trsm_id, &ids[AT(k, k)], 1, ids[AT(i, k)]);
            do_trsm(n, matrix[AT(k, k)], matrix[AT(i, k)]);
        }
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++) {
                dvm_data_id_t read[2];
                dvm_id_copy(read[0], ids[AT(i, k)]);
                dvm_id_copy(read[1], ids[AT(j, k)]);
                update(3 * i + j, gemm_id, read, 2, ids[AT(i, j)]);
                do_gemm(n, matrix[AT(i, k)], matrix[AT(j, k)], matrix[AT(i, j)]);
            }
    }
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            if (take_bytes(ids[AT(i, j)], found, bytes))
                CHECK(memcmp(found, matrix[AT(i, j)], bytes) == 0);
            free(matrix[AT(i, j)]);
        }
    free(matrix), free(found), free(ids);
}

/* ----- map and reduce: words are sorted and counted, counts are added up in a tree ----- */

enum { CHUNKS = 48, KEYS = 256 };

static dvm_processing_id_t sort_id, add_id, digest_id;

static void do_sort(const uint32_t *from, size_t words, uint32_t *sorted, uint64_t *counts)
{
    memset(counts, 0, KEYS * sizeof *counts);
    for (size_t i = 0; i < words; i++)
        counts[from[i] % KEYS]++;
    size_t starts[KEYS], next = 0;
    for (int key = 0; key < KEYS; key++)
        starts[key] = next, next += counts[key];
    for (size_t i = 0; i < words; i++)
        sorted[starts[from[i] % KEYS]++] = from[i];
}

/* Input: words. Outputs: the same in the order of their keys, which is large; how many there are of each key. */
static int sort_words(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *from = NULL, *sorted = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(ids[0], &from, &size));
    CHECK_OK(dvm_data_get(ids[1], &sorted, &size));
    uint64_t *counts = bytes_of(ids[2], KEYS * sizeof *counts);
    if (!from || !sorted || !counts)
        return 1;
    do_sort(from, size / sizeof(uint32_t), sorted, counts);
    return 0;
}

static int add_counts(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *a = bytes_of(ids[0], KEYS * sizeof *a), *b = bytes_of(ids[1], KEYS * sizeof *b);
    uint64_t *to = bytes_of(ids[2], KEYS * sizeof *to);
    if (!a || !b || !to)
        return 1;
    for (int key = 0; key < KEYS; key++)
        to[key] = a[key] + b[key];
    return 0;
}

static int digest(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    return at ? output_number(ids[1], sum_of(at, size)) : 1;
}

static void map_and_reduce(size_t words)
{
    size_t bytes = words * sizeof(uint32_t);
    uint32_t *chunk = malloc(bytes), *sorted = malloc(bytes);
    uint64_t all[KEYS] = {0}, counts[KEYS], expected[CHUNKS];
    dvm_data_id_t level[CHUNKS], digests[CHUNKS];
    for (uint64_t i = 0; i < CHUNKS; i++) {
        dvm_data_id_t ids[3], read[2];
        fill_pattern(chunk, bytes, seed ^ i);
        do_sort(chunk, words, sorted, counts);
        expected[i] = sum_of(sorted, bytes);
        for (int key = 0; key < KEYS; key++)
            all[key] += counts[key];
        new_bytes(ids[0], chunk, bytes);
        promise_of(bytes, ids[1]);
        promise_of(sizeof counts, ids[2]);
        CHECK_OK(on_rank(i, sort_id, ids, 3));
        dvm_id_copy(level[i], ids[2]);
        dvm_id_copy(read[0], ids[1]);
        promise_of(sizeof(uint64_t), read[1]);
        CHECK_OK(i % 3 ? on_rank(i / 2, digest_id, read, 2) : dvm_sched_near(digest_id, read, 2));
        dvm_id_copy(digests[i], read[1]);
    }
    for (int left = CHUNKS; left > 1; left = (left + 1) / 2)
        for (int i = 0; i + 1 < left; i += 2) {
            dvm_data_id_t ids[3];
            dvm_id_copy(ids[0], level[i]);
            dvm_id_copy(ids[1], level[i + 1]);
            promise_of(sizeof counts, ids[2]);
            CHECK_OK(on_rank(i + left, add_id, ids, 3));
            dvm_id_copy(level[i / 2], ids[2]);
            if (i + 3 == left)
                dvm_id_copy(level[i / 2 + 1], level[i + 2]);
        }
    if (take_bytes(level[0], counts, sizeof counts))
        CHECK(memcmp(counts, all, sizeof counts) == 0);
    for (int i = 0; i < CHUNKS; i++)
        CHECK_NUMBER(expected[i], take_number(digests[i]));
    free(chunk), free(sorted);
}

/* ----- the job, and its end ----- */

static void drive(void)
{
    several_register(potrf, NULL, 2, 1, "potrf", potrf_id);
    several_register(trsm, NULL, 3, 1, "trsm", trsm_id);
    several_register(gemm, NULL, 4, 1, "gemm", gemm_id);
    several_register(sort_words, NULL, 3, 2, "sort words", sort_id);
    several_register(add_counts, NULL, 3, 1, "add counts", add_id);
    several_register(digest, NULL, 2, 1, "digest", digest_id);
    for (int round = 0; round < 3; round++) {
        if (strcmp(kind, "cholesky") == 0) {
            factorise(8, 16);
            factorise(6, 96);
        } else {
            map_and_reduce(300);
            map_and_reduce(30000);
        }
        dvm_retcode_t code = dvm_wait();
        /* Who is killed before it serves might have meant to do something else. */
        if (code != DVM_ERR_PEER_LOST || strstr(dvm_last_error(), "dvm_serve") == NULL)
            CHECK_CODE(DVM_SUCCESS, code);
    }
}

static void *end_it(void *nothing)
{
    (void)nothing;
    usleep((useconds_t)(mixed(seed, 7) % latest));
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int count, char **arguments)
{
    kind = count > 1 ? arguments[1] : "map-reduce";
    seed = count > 2 ? (uint64_t)atoll(arguments[2]) : 1;
    latest = count > 3 ? (uint64_t)atoll(arguments[3]) : 100000;
    several_begin();
    if (process_count > 1 && process_index == 1 + mixed(seed, 3) % (process_count - 1)) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, end_it, NULL) == 0);
        CHECK_OK(dvm_serve());
        pthread_join(thread, NULL); /* killed at the latest now */
    } else if (process_index == 0) {
        drive();
    } else {
        CHECK_OK(dvm_serve());
    }
    return several_end("recovery");
}
