/* A program that uses MPI for itself, on communicators of its own, while libdvm has all processes: the level at which it
 * initialises MPI, or that it leaves that to dvm_init.
 *
 * processes: 2 4
 * arguments: single
 * arguments: funneled
 * arguments: serialized
 * arguments: multiple
 * arguments: later */
#include "../check.h"

#include <dvm_mpi.h>
#include <time.h>

enum { WORDS = 20000 };

static MPI_Comm own;
static int rank, size;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Calls nobody. */
static void compute(double duration)
{
    volatile double sum = 0;
    for (double end = seconds() + duration; seconds() < end;)
        for (int i = 1; i < 1000; i++)
            sum = sum + 1.0 / i;
}

/* Twice what it reads. */
static int twice(void *context, dvm_data_id_t *ids, int count)
{
    void *in, *out;
    size_t bytes, room;
    (void)context, (void)count;
    if (dvm_data_get(ids[0], &in, &bytes) != DVM_SUCCESS || dvm_data_get(ids[1], &out, &room) != DVM_SUCCESS)
        return 1;
    if (bytes != room)
        return 2;
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
        ((uint64_t *)out)[i] = 2 * ((uint64_t *)in)[i];
    return 0;
}

/* A task on each PU, which reads one datum of this process; the results. */
static dvm_data_id_t *schedule(uint64_t count, uint64_t first)
{
    dvm_processing_id_t p;
    int modes[] = {DVM_IN, DVM_OUT};
    CHECK_OK(dvm_processing_register_v(twice, NULL, 2, "twice", p));
    CHECK_OK(dvm_processing_access(p, modes));
    dvm_data_id_t data, *results = malloc(count * sizeof *results);
    void *bytes;
    size_t length;
    CHECK_OK(dvm_data_allocate(WORDS * sizeof(uint64_t), &data));
    CHECK_OK(dvm_data_get(data, &bytes, &length));
    for (uint64_t i = 0; i < WORDS; i++)
        ((uint64_t *)bytes)[i] = first + i;
    CHECK_OK(dvm_data_put(data));
    for (uint64_t i = 1; i < count; i++)
        CHECK_OK(dvm_data_acquire(data));
    for (uint64_t i = 0; i < count; i++) {
        dvm_rank_t place;
        CHECK_OK(dvm_rank_at(i, place, DVM_MAX_RANK_DEPTH));
        CHECK_OK(dvm_data_promise(WORDS * sizeof(uint64_t), &results[i]));
        dvm_data_id_t ids[2] = {{data[0], data[1]}, {results[i][0], results[i][1]}};
        CHECK_OK(dvm_sched_onto_v(place, p, ids, 2));
    }
    return results;
}

static void check(dvm_data_id_t *results, uint64_t count, uint64_t first)
{
    for (uint64_t i = 0; i < count; i++) {
        void *bytes;
        size_t length, good = 0;
        CHECK_OK(dvm_data_get(results[i], &bytes, &length));
        CHECK_NUMBER(WORDS * sizeof(uint64_t), length);
        for (uint64_t k = 0; k < WORDS; k++)
            good += ((uint64_t *)bytes)[k] == 2 * (first + k);
        CHECK_NUMBER(WORDS, good);
        CHECK_OK(dvm_data_put(results[i]));
        CHECK_OK(dvm_data_relax(results[i]));
    }
    free(results);
}

/* The program's own messages: from whoever comes, on its own communicator. */
static void talk(int round)
{
    int sum = 0, to = (rank + 1) % size, sent[2] = {rank, round}, got[2] = {-1, -1};
    MPI_Status status;
    MPI_Sendrecv(sent, 2, MPI_INT, to, round, got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, own, &status);
    CHECK(got[0] == (rank + size - 1) % size && got[1] == round && status.MPI_TAG == round);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, own);
    CHECK(sum == size * (size - 1) / 2);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"single", MPI_THREAD_SINGLE},
                  {"funneled", MPI_THREAD_FUNNELED},
                  {"serialized", MPI_THREAD_SERIALIZED},
                  {"multiple", MPI_THREAD_MULTIPLE}};
    int provided = -1, begun;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (argc > 1 && strcmp(argv[1], levels[i].name) == 0)
            MPI_Init_thread(&argc, &argv, levels[i].level, &provided);
    int later = provided == -1;
    dvm_retcode_t code = dvm_init();
    CHECK_CODE(DVM_SUCCESS, code);
    if (code != DVM_SUCCESS)
        return EXIT_FAILURE;
    /* libdvm has initialised it, for all threads. */
    MPI_Initialized(&begun);
    CHECK(begun);
    MPI_Query_thread(&provided);
    CHECK(!later || provided == MPI_THREAD_MULTIPLE);

    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &size);
    uint64_t index, processes, count;
    CHECK_OK(dvm_process(&index, &processes));
    CHECK(index == (uint64_t)rank && processes == (uint64_t)size);
    CHECK_OK(dvm_rank_count(&count));

    /* All schedule onto all, compute for a second, talk, and then wait. */
    talk(1);
    dvm_data_id_t *results = schedule(count, (uint64_t)rank);
    compute(1);
    talk(2);
    CHECK_OK(dvm_wait());
    check(results, count, (uint64_t)rank);
    /* Others may still fetch what was made here. */
    CHECK_OK(dvm_wait());
    talk(3);

    /* With leave to call MPI from any thread, libdvm goes on while the program computes, and while it waits in MPI: here
     * until process 0 has got what tasks of the others have made. */
    if (provided == MPI_THREAD_MULTIPLE) {
        int done = 0;
        if (rank == 0)
            check(schedule(count, 100), count, 100);
        MPI_Bcast(&done, 1, MPI_INT, 0, own);
        CHECK_OK(dvm_wait());
    }
    CHECK_OK(dvm_finalize());
    talk(4);

    int failed = atomic_load(&check_failures) > 0, all;
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, own);
    MPI_Comm_free(&own);
    /* Whoever has initialised MPI: the program may finalize it. */
    if (!later || size == 2)
        MPI_Finalize();
    if (rank == 0)
        printf("beside: %s\n", all ? "failed" : "ok");
    return all ? EXIT_FAILURE : EXIT_SUCCESS;
}
