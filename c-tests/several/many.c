/* Many tiny tasks from process 0 to all PUs and back: the counts are exact, and memory stays flat. */
#include "several.h"

enum { TASKS = 100000, BATCH = 1000 };

#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREED = 1 };
#else
enum { KEEPS_FREED = 0 };
#endif

static atomic_int came, back_came;
static dvm_processing_id_t back; /* process 0's, in every process */
static uint64_t back_to;         /* a PU of process 0 */

typedef struct {
    dvm_processing_id_t back;
    uint64_t back_to;
} address_t;

static int learn(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    address_t *address = bytes_of(ids[0], sizeof *address);
    dvm_id_copy(back, address->back);
    back_to = address->back_to;
    return output_number(ids[1], 1);
}

static int count_back(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_fetch_add(&back_came, 1);
    return 0;
}

static int go(void *context, dvm_data_id_t *ids, int count)
{
    (void)context;
    atomic_fetch_add(&came, 1);
    if (count && input_number(ids[0]) % 2 == 0)
        return 0;
    CHECK_OK(on_rank(back_to, back, NULL, 0));
    return 0;
}

static int tell(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    return output_number(ids[0], (uint64_t)atomic_load(&came));
}

/* The resident memory of this process, in KiB. */
static uint64_t resident(void)
{
    unsigned long long found = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %llu", &found) == 1)
            break;
    if (file)
        fclose(file);
    return found;
}

static void drive(void)
{
    dvm_processing_id_t with_number, without, learner, teller;
    dvm_data_id_t ids[2], answer;
    address_t address;
    uint64_t before = 0, sum = 0;
    learn_ranks();
    several_register(count_back, NULL, 0, 0, "back", address.back);
    several_register(go, NULL, 0, 0, "there", without);
    several_register(go, NULL, 1, 0, "there with a number", with_number);
    several_register(learn, NULL, 2, 1, "learner", learner);
    several_register(tell, NULL, 1, 1, "teller", teller);
    address.back_to = rank_of_process[0];
    for (uint64_t process = 0; process < process_count; process++) {
        new_bytes(ids[0], &address, sizeof address);
        promise_of(8, ids[1]);
        CHECK_OK(on_process(process, learner, ids, 2));
        CHECK_NUMBER(1, take_number(ids[1]));
    }
    for (int batch = 0; batch < TASKS / BATCH; batch++) {
        for (uint64_t i = 0; i < BATCH; i++)
            if (batch % 2) {
                new_bytes(answer, &i, sizeof i);
                CHECK_OK(on_rank(i / 2, with_number, &answer, 1));
            } else {
                CHECK_OK(on_rank(i, without, NULL, 0));
            }
        CHECK_OK(dvm_wait());
        if (batch == 9)
            before = resident();
    }
    CHECK(before > 0 && (KEEPS_FREED || resident() < before + 8 * 1024));
    CHECK_NUMBER(TASKS / 4 * 3, atomic_load(&back_came));
    /* All at once. */
    for (uint64_t i = 0; i < TASKS; i++)
        CHECK_OK(on_rank(i, without, NULL, 0));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(TASKS / 4 * 7, atomic_load(&back_came));
    for (uint64_t process = 0; process < process_count; process++) {
        promise_of(8, answer);
        CHECK_OK(on_process(process, teller, &answer, 1));
        sum += take_number(answer);
    }
    CHECK_NUMBER(2 * TASKS, sum);
    CHECK_OK(dvm_wait());
}

int main(void)
{
    return several_main("many", drive);
}
