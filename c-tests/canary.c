/* Mistakes that the checkers must find, so that their silence on the other tests means something: each of these runs must
 * fail. The mistakes cross the library's boundary: tasks make them, on memory of the library. */
#include "check.h"

static char *kept;

static int keep(dvm_data_id_t id)
{
    void *at = NULL;
    size_t size;
    CHECK_OK(dvm_data_get(id, &at, &size));
    kept = at;
    return 0;
}

/* Reads the bytes of a datum after its last reference was dropped. */
static void use_after_free(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t id;
    dvm_rank_t rank;
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())keep, 1, NULL, p));
    CHECK_OK(dvm_data_allocate(100000, &id));
    CHECK_OK(dvm_sched_onto(rank, p, id));
    CHECK_OK(dvm_wait());
    CHECK_GONE(id);
    if (*(volatile char *)(kept + 5000) == 1)
        puts("never");
}

/* Writes past the end of a datum, beyond the padding of its alignment to 64 bytes. */
static void overrun(void)
{
    dvm_data_id_t id;
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_allocate(64, &id));
    CHECK_OK(dvm_data_get(id, &at, &size));
    ((volatile char *)at)[size + 63] = 1;
    CHECK_OK(dvm_data_put(id));
    CHECK_OK(dvm_data_relax(id));
}

/* Two unordered tasks on two workers change one number. */
static long unprotected;
static atomic_int meeting;

static int disturb(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    atomic_fetch_add_explicit(&meeting, 1, memory_order_relaxed);
    for (int i = 0; i < 1000 && atomic_load_explicit(&meeting, memory_order_relaxed) < 2; i++)
        check_sleep(1);
    for (int i = 0; i < 1000; i++)
        unprotected++;
    return 0;
}

static void race(void)
{
    dvm_processing_id_t p;
    CHECK_OK(dvm_processing_register_v(disturb, NULL, 0, NULL, p));
    for (uint64_t i = 0; i < 2; i++) {
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, p));
    }
    CHECK_OK(dvm_wait());
    printf("%ld\n", unprotected);
}

/* Memory that free_cb should have freed. */
static void forget(void *address, size_t size)
{
    (void)address, (void)size;
}

static void leak(void)
{
    for (int i = 0; i < 100; i++) { /* memory with an address left somewhere is no leak: of many, some have none */
        dvm_data_id_t id;
        CHECK_OK(dvm_data_register(malloc(5000), 5000, forget, &id));
        CHECK_OK(dvm_data_relax(id));
    }
}

int main(int count, char **words)
{
    const char *mistake = count > 1 ? words[1] : "";
    setenv("DVM_SYNTHETIC", "pu:2", 1);
    CHECK_OK(dvm_init());
    if (strcmp(mistake, "use-after-free") == 0)
        use_after_free();
    if (strcmp(mistake, "overrun") == 0)
        overrun();
    if (strcmp(mistake, "race") == 0)
        race();
    if (strcmp(mistake, "leak") == 0)
        leak();
    CHECK_OK(dvm_finalize());
    /* Success, which counts as a failure of the checker. A failed check does not count as a found mistake either. */
    return 0;
}
