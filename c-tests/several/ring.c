/* A ring of tasks: each schedules the next on the following process, for some rounds. */
#include "several.h"

enum { ROUNDS = 500 };

/* What goes around. */
typedef struct {
    uint64_t hops, most;
    dvm_processing_id_t step;
    dvm_data_id_t end; /* a promise of process 0 */
    uint64_t stations, at;
    uint64_t rank[64]; /* a PU of each station */
    uint64_t visits[64];
} token_t;

static atomic_int here; /* tasks that ran in this process */
static dvm_processing_id_t own_step;

/* Ends the ring: carries the last token to the promise. */
static int arrive(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    void *token = bytes_of(ids[0], sizeof(token_t));
    return token ? output_bytes(ids[1], token, sizeof(token_t)) : 1;
}

static dvm_processing_id_t arrival;

static int step(void *context, dvm_data_id_t *ids, int count)
{
    (void)count;
    token_t token;
    void *at = bytes_of(ids[0], sizeof token);
    if (at == NULL)
        return 1;
    memcpy(&token, at, sizeof token);
    atomic_fetch_add(&here, 1);
    token.visits[token.at]++;
    token.at = (token.at + 1) % token.stations;
    token.hops++;
    dvm_data_id_t next[2];
    new_bytes(next[0], &token, sizeof token);
    dvm_id_copy(next[1], token.end);
    if (token.hops == token.most) {
        CHECK_OK(on_rank(token.rank[token.at], arrival, next, 2));
        return 0;
    }
    /* By the processing of the process that began, or by the own one. */
    CHECK_OK(on_rank(token.rank[token.at], context ? own_step : token.step, next, 1));
    return 0;
}

static void ring(void *own, uint64_t stations, uint64_t rounds, const uint64_t *rank)
{
    token_t token = {0}, result;
    token.most = stations * rounds;
    token.stations = stations;
    memcpy(token.rank, rank, stations * sizeof *rank);
    several_register(step, own, 1, 0, "step of the ring", token.step);
    promise_of(sizeof token, token.end);
    dvm_data_id_t first;
    new_bytes(first, &token, sizeof token);
    CHECK_OK(on_rank(rank[0], own ? own_step : token.step, &first, 1));
    if (take_bytes(token.end, &result, sizeof result)) {
        CHECK_NUMBER(token.most, result.hops);
        for (uint64_t i = 0; i < stations; i++)
            CHECK_NUMBER(rounds, result.visits[i]);
    }
    CHECK_OK(dvm_wait());
    CHECK_OK(dvm_processing_unregister(&token.step));
}

static void drive(void)
{
    uint64_t ranks[64], stations = rank_count < 64 ? rank_count : 64;
    learn_ranks();
    for (uint64_t i = 0; i < process_count; i++)
        ranks[i] = rank_of_process[i];
    ring(NULL, process_count, ROUNDS, ranks);
    ring("own", process_count, ROUNDS, ranks);
    int before = atomic_load(&here);
    CHECK_NUMBER(2 * ROUNDS, before);
    for (uint64_t i = 0; i < stations; i++)
        ranks[i] = i;
    ring(NULL, stations, 20, ranks);
    ring("own", stations, 20, ranks);
}

int main(void)
{
    several_begin();
    /* Every process registers its own. */
    several_register(arrive, NULL, 2, 1, "arrival", arrival);
    several_register(step, "own", 1, 0, "own step of the ring", own_step);
    if (process_index == 0)
        drive();
    else
        CHECK_OK(dvm_serve());
    if (process_index != 0)
        CHECK(atomic_load(&here) >= 2 * ROUNDS);
    return several_end("ring");
}
