/* Waits: several, with tasks between, of processes that have much to do and little; in several lives.
 *
 * arguments: 1
 * arguments: 3
 */
#include "several.h"

static atomic_int ran;
static dvm_processing_id_t sleeper, spreader, mailman;

static int nap(void *context, dvm_data_id_t *ids, int count)
{
    (void)ids, (void)count;
    check_sleep((int)(uintptr_t)context);
    atomic_fetch_add(&ran, 1);
    return 0;
}

/* Schedules a tree of tasks over all PUs, until nothing is left of the number. */
static int spread(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t words[3];
    memcpy(words, bytes_of(ids[0], sizeof words), sizeof words);
    atomic_fetch_add(&ran, 1);
    for (int i = 0; i < 2 && words[2] > 0; i++) {
        dvm_data_id_t next;
        uint64_t plan[3] = {words[0], words[1], words[2] - 1};
        new_bytes(next, plan, sizeof plan);
        CHECK_OK(on_rank(mixed(words[2], i) ^ (uint64_t)atomic_load(&ran), plan, &next, 1));
    }
    return 0;
}

/* Ids that other processes have sent to this one. */
static dvm_data_id_t mailbox[64];

static int deliver(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t *words = bytes_of(ids[0], 3 * 8);
    dvm_id_copy(mailbox[words[0] % 64], &words[1]);
    return 0;
}

static int tell_ran(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[0], (uint64_t)atomic_load(&ran));
}

/* What ran since the life began, in all processes. */
static uint64_t ran_everywhere(void)
{
    dvm_processing_id_t teller;
    uint64_t sum = 0;
    several_register(tell_ran, NULL, 1, 1, "teller", teller);
    for (uint64_t process = 0; process < process_count; process++) {
        dvm_data_id_t id;
        promise_of(8, id);
        CHECK_OK(on_process(process, teller, &id, 1));
        sum += take_number(id);
    }
    CHECK_OK(dvm_processing_unregister(&teller));
    return sum;
}

/* Every process makes a datum and sends its id to all; after a wait each reads all of them. */
static void exchange(uint64_t round)
{
    dvm_data_id_t own, letter;
    new_number(own, (int64_t)(1000 * round + process_index));
    for (uint64_t other = 0; other < process_count && other < 64; other++) {
        uint64_t words[3] = {process_index, own[0], own[1]};
        new_bytes(letter, words, sizeof words);
        CHECK_OK(on_process(other, mailman, &letter, 1));
    }
    CHECK_OK(dvm_wait());
    for (uint64_t other = 0; other < process_count && other < 64; other++)
        CHECK_NUMBER(1000 * round + other, number_in(mailbox[other]));
    CHECK_OK(dvm_wait()); /* all have read */
    CHECK_OK(dvm_data_relax(own));
}

static void life(void)
{
    uint64_t expected = 0;
    several_begin();
    atomic_store(&ran, 0);
    several_register(nap, (void *)2, 0, 0, "nap", sleeper);
    several_register(spread, NULL, 1, 0, "spread", spreader);
    several_register(deliver, NULL, 1, 0, "deliver", mailman);
    learn_ranks();
    CHECK_OK(dvm_wait());
    for (uint64_t round = 0; round < 12; round++) {
        /* One process has much to do, the others nothing. */
        if (round % process_count == process_index)
            for (uint64_t i = 0; i < 10; i++)
                CHECK_OK(on_rank(i, sleeper, NULL, 0));
        expected += 10;
        CHECK_OK(dvm_wait());
        CHECK_NUMBER(expected, ran_everywhere());
        CHECK_OK(dvm_wait());
        /* Tasks that make tasks, begun by all. */
        dvm_data_id_t plan;
        uint64_t words[3] = {spreader[0], spreader[1], 6};
        new_bytes(plan, words, sizeof words);
        CHECK_OK(on_rank(round + process_index, spreader, &plan, 1));
        expected += process_count * 127;
        CHECK_OK(dvm_wait());
        CHECK_NUMBER(expected, ran_everywhere());
        exchange(round);
        for (int i = 0; i < 5; i++)
            CHECK_OK(dvm_wait());
    }
    CHECK_CODE(DVM_ERR_ALREADY_INITIALIZED, dvm_init());
    CHECK_OK(dvm_finalize());
    uint64_t index, count;
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_wait());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_process(&index, &count));
    free(rank_owner);
    free(rank_of_process);
}

int main(int count, char **words)
{
    for (int lives = count > 1 ? atoi(words[1]) : 1; lives > 0; lives--)
        life();
    return several_result("waits");
}
