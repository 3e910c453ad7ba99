/* Ranks: the machine seen as a tree of processing units. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>

static int common_prefix(const uint64_t *a, const uint64_t *b, int dimension)
{
    int k = 0;
    while (k < dimension && a[k] == b[k])
        k++;
    return k;
}

static void dimension_and_sizes(uint64_t count, int dimension)
{
    dvm_rank_t size, guard;
    uint64_t product = 1;

    CHECK(dimension >= 1 && dimension <= DVM_MAX_RANK_DEPTH);
    memset(size, 0xff, sizeof size);
    CHECK_OK(dvm_rank_size(size, DVM_MAX_RANK_DEPTH));
    for (int k = 0; k < dimension; k++) {
        CHECK(size[k] >= 1);
        product *= size[k];
    }
    for (int k = dimension; k < DVM_MAX_RANK_DEPTH; k++)
        CHECK_NUMBER(0, size[k]);
    CHECK(count >= 1 && count <= product);
    CHECK_NUMBER(1, size[0]);

    /* An array of just the dimension suffices; the call does not touch memory beyond it. */
    memset(guard, 0xff, sizeof guard);
    CHECK_OK(dvm_rank_size(guard, dimension));
    for (int k = 0; k < DVM_MAX_RANK_DEPTH; k++)
        CHECK(guard[k] == (k < dimension ? size[k] : UINT64_MAX));
}

static void wrong_lengths(int dimension)
{
    dvm_rank_t rank, untouched;
    memset(rank, 0xab, sizeof rank);
    memset(untouched, 0xab, sizeof untouched);

    CHECK_CODE(DVM_ERR_SIZE, dvm_rank_get(rank, dimension - 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_rank_size(rank, dimension - 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_rank_at(0, rank, dimension - 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_rank_get(rank, DVM_MAX_RANK_DEPTH + 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_rank_size(rank, DVM_MAX_RANK_DEPTH + 1));
    CHECK_CODE(DVM_ERR_SIZE, dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH + 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_get(rank, -1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_size(rank, -1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_rank_at(0, rank, -1));
    CHECK(memcmp(rank, untouched, sizeof rank) == 0);
}

static void all_ranks(uint64_t count, int dimension)
{
    dvm_rank_t size, here, first;
    uint64_t(*rank)[DVM_MAX_RANK_DEPTH] = calloc(count, sizeof *rank);

    CHECK_OK(dvm_rank_size(size, DVM_MAX_RANK_DEPTH));
    for (uint64_t i = 0; i < count; i++) {
        memset(rank[i], 0xff, sizeof *rank);
        CHECK_OK(dvm_rank_at(i, rank[i], DVM_MAX_RANK_DEPTH));
        for (int k = 0; k < DVM_MAX_RANK_DEPTH; k++)
            CHECK(k < dimension ? rank[i][k] < size[k] : rank[i][k] == 0);
        for (uint64_t j = 0; j < i; j++)
            CHECK(!same_rank(rank[i], rank[j]));
    }
    CHECK_CODE(DVM_ERR_RANK, dvm_rank_at(count, here, DVM_MAX_RANK_DEPTH));
    CHECK_CODE(DVM_ERR_RANK, dvm_rank_at(UINT64_MAX, here, DVM_MAX_RANK_DEPTH));

    /* Outside of tasks: the first PU of the process. */
    nth_rank(0, first);
    CHECK_OK(dvm_rank_get(here, DVM_MAX_RANK_DEPTH));
    CHECK(same_rank(here, first));
    free(rank);
}

static void distances(uint64_t count, int dimension)
{
    bool synthetic = getenv("DVM_SYNTHETIC") != NULL;
    uint64_t(*rank)[DVM_MAX_RANK_DEPTH] = calloc(count, sizeof *rank);
    uint64_t *distance = calloc(count * count, sizeof *distance);
    dvm_rank_t nowhere = {99, 99, 99, 99};

    for (uint64_t i = 0; i < count; i++)
        nth_rank(i, rank[i]);
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < count; j++)
            CHECK_OK(dvm_rank_distance(rank[i], rank[j], &distance[i * count + j]));

    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < count; j++) {
            uint64_t d = distance[i * count + j];
            CHECK((d == 0) == (i == j));
            CHECK_NUMBER(d, distance[j * count + i]);
            for (uint64_t k = 0; k < count; k++) {
                uint64_t other = distance[i * count + k];
                int near = common_prefix(rank[i], rank[j], dimension), far = common_prefix(rank[i], rank[k], dimension);
                CHECK(d <= other + distance[k * count + j]);
                /* Distances follow the tree, strictly unless a latency matrix can make two levels equal. */
                CHECK(near <= far || (synthetic ? d < other : d <= other));
            }
        }

    uint64_t d = 77;
    CHECK_CODE(DVM_ERR_RANK, dvm_rank_distance(rank[0], nowhere, &d));
    CHECK_CODE(DVM_ERR_RANK, dvm_rank_distance(nowhere, rank[0], &d));
    CHECK_NUMBER(77, d);
    free(distance);
    free(rank);
}

/* Every task runs on its given rank, and asks for it there. */
static int report_rank(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_rank_t here;
    void *at;
    size_t size;
    CHECK_OK(dvm_rank_get(here, DVM_MAX_RANK_DEPTH));
    CHECK_OK(dvm_data_get(ids[0], &at, &size));
    memcpy(at, here, sizeof here);

    if (!getenv("DVM_SYNTHETIC")) { /* bound to one PU */
        cpu_set_t set;
        CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
        CHECK_NUMBER(1, CPU_COUNT(&set));
    }
    return 0;
}

static void ranks_in_tasks(uint64_t count)
{
    dvm_processing_id_t report;
    int modes[] = {DVM_OUT};
    uint64_t(*answer)[2] = calloc(count, sizeof *answer);

    CHECK_OK(dvm_processing_register_v(report_rank, NULL, 1, "report the rank", report));
    CHECK_OK(dvm_processing_access(report, modes));
    for (uint64_t i = 0; i < count; i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_data_promise(sizeof(dvm_rank_t), &answer[i]));
        CHECK_OK(dvm_sched_onto(rank, report, answer[i]));
    }
    CHECK_OK(dvm_wait());
    for (uint64_t i = 0; i < count; i++) {
        dvm_rank_t rank;
        void *at = NULL;
        size_t size = 0;
        nth_rank(i, rank);
        CHECK_OK(dvm_data_get(answer[i], &at, &size));
        CHECK_NUMBER(sizeof rank, size);
        CHECK(at && same_rank(at, rank));
        CHECK_OK(dvm_data_put(answer[i]));
        CHECK_OK(dvm_data_relax(answer[i]));
    }
    CHECK_OK(dvm_processing_unregister(&report));
    free(answer);
}

/* DVM_SYNTHETIC="pack:4 core:4 pu:2" has the sizes 1, 4, 4, 2 and 32 workers. */
static void known_machine(void)
{
    static const uint64_t expected[] = {1, 4, 4, 2};
    dvm_rank_t size;
    uint64_t count = 0;
    int dimension = 0;

    setenv("DVM_SYNTHETIC", "pack:4 core:4 pu:2", 1);
    unsetenv("DVM_WORKERS");
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_rank_dimension(&dimension));
    CHECK_NUMBER(4, dimension);
    CHECK_OK(dvm_rank_size(size, DVM_MAX_RANK_DEPTH));
    for (int k = 0; k < 4; k++)
        CHECK_NUMBER(expected[k], size[k]);
    CHECK_OK(dvm_rank_count(&count));
    CHECK_NUMBER(32, count);
    distances(count, dimension);
    ranks_in_tasks(count);
    CHECK_OK(dvm_finalize());
}

/* The rank omits levels that never branch. */
static void levels_without_branches(void)
{
    dvm_rank_t size;
    int dimension = 0;

    setenv("DVM_SYNTHETIC", "pack:1 l3:1 core:3 pu:1", 1);
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_rank_dimension(&dimension));
    CHECK_NUMBER(2, dimension);
    CHECK_OK(dvm_rank_size(size, DVM_MAX_RANK_DEPTH));
    CHECK_NUMBER(3, size[1]);
    CHECK_OK(dvm_finalize());
}

static void fewer_workers(void)
{
    uint64_t count = 0;
    setenv("DVM_SYNTHETIC", "pack:4 core:4 pu:2", 1);
    setenv("DVM_WORKERS", "5", 1);
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_rank_count(&count));
    CHECK_NUMBER(5, count);
    ranks_in_tasks(count);
    CHECK_OK(dvm_finalize());
}

/* Confines all threads of the process, as taskset would have done at its start. A checker has threads, too; and a thread
 * that was joined is still listed for a moment. */
static void confine(const cpu_set_t *set)
{
    DIR *threads = opendir("/proc/self/task");
    CHECK(threads != NULL);
    for (struct dirent *entry; threads && (entry = readdir(threads)) != NULL;)
        if (entry->d_name[0] != '.')
            CHECK(sched_setaffinity(atoi(entry->d_name), sizeof *set, set) == 0 || errno == ESRCH);
    if (threads)
        closedir(threads);
}

/* A process that may use one CPU gets one worker. */
static void confined(void)
{
    cpu_set_t before, one;
    uint64_t count = 0;

    unsetenv("DVM_SYNTHETIC");
    unsetenv("DVM_WORKERS");
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &before))
            last = cpu;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    confine(&one);
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_rank_count(&count));
    CHECK_NUMBER(1, count);
    ranks_in_tasks(count);
    CHECK_OK(dvm_finalize());
    confine(&before);
}

/* A description of a machine that cannot be read is an error, not a guess. */
static void unreadable_machine(void)
{
    setenv("DVM_SYNTHETIC", "no such machine", 1);
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_init());
    CHECK_MENTIONS("DVM_SYNTHETIC");
    unsetenv("DVM_SYNTHETIC");
    setenv("DVM_WORKERS", "many", 1);
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_init());
    CHECK_MENTIONS("DVM_WORKERS");
    unsetenv("DVM_WORKERS");
    CHECK_OK(dvm_init());
    CHECK_OK(dvm_finalize());
}

int main(void)
{
    uint64_t count = 0;
    int dimension = 0;

    CHECK_OK(dvm_init());
    CHECK_OK(dvm_rank_count(&count));
    CHECK_OK(dvm_rank_dimension(&dimension));
    dimension_and_sizes(count, dimension);
    wrong_lengths(dimension);
    all_ranks(count, dimension);
    distances(count, dimension);
    ranks_in_tasks(count);
    const char *wish = getenv("DVM_WORKERS");
    if (wish)
        CHECK(count <= strtoull(wish, NULL, 10));
    CHECK_OK(dvm_finalize());

    known_machine();
    levels_without_branches();
    fewer_workers();
    confined();
    unreadable_machine();
    return check_end("ranks");
}
