/* A program with an MPI of its own. Each odd process of MPI_COMM_WORLD is one of libdvm's, the even ones never call it;
 * while libdvm runs tasks and moves data, the program goes on sending messages with the same numbers and tags.
 *
 * arguments: single
 * arguments: funneled
 * arguments: serialized
 * arguments: multiple */
#include "../check.h"

#include <dvm_mpi.h>

enum { ROUNDS = 50, WORDS = 4096 };

static int world_rank, world_size;

/* The process in which a task runs, and the sum of what it reads. */
static int add(void *context, dvm_data_id_t *ids, int count)
{
    void *in, *out;
    size_t size, room;
    uint64_t sum = 0;
    (void)context;
    (void)count;
    if (dvm_data_get(ids[0], &in, &size) != DVM_SUCCESS || dvm_data_get(ids[1], &out, &room) != DVM_SUCCESS)
        return 1;
    for (size_t i = 0; i < size / sizeof sum; i++)
        sum += ((uint64_t *)in)[i];
    uint64_t index, processes;
    if (dvm_process(&index, &processes) != DVM_SUCCESS)
        return 2;
    ((uint64_t *)out)[0] = sum;
    ((uint64_t *)out)[1] = index;
    return 0;
}

/* A message to the neighbour in the world and one from the other neighbour, whoever that is and whatever its tag. */
static void talk(int round)
{
    int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
    int sent[2] = {world_rank, round}, got[2] = {-1, -1};
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(sent, 2, MPI_INT, to, round % 7, MPI_COMM_WORLD, &request);
    MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got[0] == from && got[1] == round);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == round % 7);
}

/* On each PU of the half a task that reads a datum of process 0 of the half; then all results, there. */
static void drive(uint64_t processes)
{
    uint64_t count;
    CHECK_OK(dvm_rank_count(&count));
    CHECK(count >= processes);
    dvm_processing_id_t p;
    int modes[] = {DVM_IN, DVM_OUT};
    CHECK_OK(dvm_processing_register_v(add, NULL, 2, "add", p));
    CHECK_OK(dvm_processing_access(p, modes));
    dvm_data_id_t data;
    void *bytes;
    size_t size;
    CHECK_OK(dvm_data_allocate(WORDS * sizeof(uint64_t), &data));
    CHECK_OK(dvm_data_get(data, &bytes, &size));
    for (uint64_t i = 0; i < WORDS; i++)
        ((uint64_t *)bytes)[i] = i;
    CHECK_OK(dvm_data_put(data));
    for (uint64_t i = 1; i < count; i++)
        CHECK_OK(dvm_data_acquire(data));
    dvm_data_id_t *results = malloc(count * sizeof *results);
    for (uint64_t i = 0; i < count; i++) {
        dvm_rank_t rank;
        CHECK_OK(dvm_rank_at(i, rank, DVM_MAX_RANK_DEPTH));
        CHECK_OK(dvm_data_promise(2 * sizeof(uint64_t), &results[i]));
        dvm_data_id_t ids[2] = {{data[0], data[1]}, {results[i][0], results[i][1]}};
        CHECK_OK(dvm_sched_onto_v(rank, p, ids, 2));
    }
    /* All of it before the wait: below MPI_THREAD_MULTIPLE a process takes part in libdvm's messages by MPI only while it is
     * inside a wait of libdvm, and the others are not until they serve. */
    for (int i = 0; i < ROUNDS; i++)
        talk(i);
    CHECK_OK(dvm_wait());
    uint64_t seen = 0;
    for (uint64_t i = 0; i < count; i++) {
        CHECK_OK(dvm_data_get(results[i], &bytes, &size));
        CHECK(((uint64_t *)bytes)[0] == (uint64_t)WORDS * (WORDS - 1) / 2);
        CHECK(((uint64_t *)bytes)[1] < processes);
        seen |= UINT64_C(1) << ((uint64_t *)bytes)[1];
        CHECK_OK(dvm_data_put(results[i]));
        CHECK_OK(dvm_data_relax(results[i]));
    }
    CHECK(seen == (UINT64_C(1) << processes) - 1);
    free(results);
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
    int wanted = MPI_THREAD_SINGLE, provided;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (argc > 1 && strcmp(argv[1], levels[i].name) == 0)
            wanted = levels[i].level;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);

    /* Ranks of the half go the other way round. */
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    int rank, size;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);

    CHECK(dvm_init_mpi(MPI_COMM_NULL) == DVM_ERR_ARGUMENT);
#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    if (MPI_Comm_fromint(MPI_Comm_toint(half)) != half) {
        CHECK(dvm_init_mpi(half) == DVM_ERR_UNSUPPORTED);
        int failures = atomic_load(&check_failures);
        MPI_Finalize();
        if (world_rank == 0 && !failures)
            printf("split: left out (this MPI gives no communicator for its number)\n");
        return failures ? EXIT_FAILURE : EXIT_SUCCESS;
    }
#endif
    if (world_rank % 2 == 1) {
        /* Twice, as init may follow finalize; the second time the communicator of a communicator. */
        for (int turn = 0; turn < 2; turn++) {
            MPI_Comm again;
            MPI_Comm_dup(half, &again);
            dvm_retcode_t code = dvm_init_mpi(again);
            CHECK_CODE(DVM_SUCCESS, code);
            MPI_Comm_free(&again);
            if (code != DVM_SUCCESS)
                MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
            uint64_t index, processes;
            CHECK_OK(dvm_process(&index, &processes));
            CHECK(index == (uint64_t)rank && processes == (uint64_t)size);
            if (rank == 0) {
                drive(processes);
            } else {
                for (int i = 0; i < ROUNDS; i++)
                    talk(i);
                CHECK_OK(dvm_serve());
            }
            CHECK_OK(dvm_finalize());
        }
    } else {
        for (int turn = 0; turn < 2; turn++)
            for (int i = 0; i < ROUNDS; i++)
                talk(i);
    }

    int failed = atomic_load(&check_failures) > 0, all;
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (world_rank == 0)
        printf("split: %s\n", all ? "failed" : "ok");
    return all ? EXIT_FAILURE : EXIT_SUCCESS;
}
