/* Explanations: the text that says what waits for what. */
#include "check.h"

static int nothing(void)
{
    return 0;
}

/* The whole text; the caller frees it. */
static char *explanation(void)
{
    size_t needed = 0;
    CHECK_OK(dvm_explain_text(NULL, 0, &needed));
    size_t size = needed;
    char *text = malloc(size);
    CHECK_OK(dvm_explain_text(text, size, &needed));
    CHECK_NUMBER(size, needed); /* nothing moves meanwhile */
    CHECK_NUMBER(size, strlen(text) + 1);
    return text;
}

static void a_waiting_task_is_named(void)
{
    dvm_processing_id_t reads;
    dvm_data_id_t lost;
    char missing[100];

    CHECK_OK(dvm_init());
    char *text = explanation();
    CHECK(strstr(text, "Nothing waits") != NULL);
    free(text);

    CHECK_OK(dvm_processing_register(DVM_CALLBACK(nothing), 1, "reads what is lost", reads));
    CHECK_OK(dvm_data_promise(8, &lost));
    CHECK_OK(dvm_sched_near(reads, &lost, 1));
    snprintf(missing, sizeof missing, "Missing: datum {%" PRIu64 ", %" PRIu64 "} (8 bytes): nobody", lost[0], lost[1]);
    text = explanation();
    CHECK(strstr(text, "'reads what is lost' (in {") != NULL);
    CHECK(strstr(text, missing) != NULL);
    free(text);
    CHECK_CODE(DVM_ERR_STATE, dvm_finalize()); /* the task was cancelled */
}

/* How many of the tasks that occupy a worker may end. */
static atomic_int let_go;

static int hold_until(int turn)
{
    while (atomic_load(&let_go) < turn)
        check_sleep(1);
    return 0;
}

static int take_long(void)
{
    return hold_until(1);
}

static int make_it(void)
{
    return hold_until(2);
}

/* Asks repeatedly until the answer contains this part, for at most a minute. */
static void await_part(const char *part)
{
    int found = 0;
    for (int turn = 0; turn < 60000 && !found; turn++) {
        char text[10000];
        size_t needed;
        CHECK_OK(dvm_explain_text(text, sizeof text, &needed));
        found = strstr(text, part) != NULL;
        check_sleep(1);
    }
    if (!found)
        fprintf(stderr, "never told: %s\n", part);
    CHECK(found);
}

/* The text names the task that is to publish a datum: while it is queued behind a long task, and while it runs. */
static void a_producer_is_named(void)
{
    dvm_processing_id_t takes_long, makes_it, reads_it;
    dvm_data_id_t made;
    dvm_rank_t rank;
    int modes[] = {DVM_OUT};
    char part[300];

    CHECK_OK(dvm_init());
    CHECK_OK(dvm_rank_at(0, rank, DVM_MAX_RANK_DEPTH));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(take_long), 0, "takes long", takes_long));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(make_it), 1, "makes it", makes_it));
    CHECK_OK(dvm_processing_access(makes_it, modes));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(nothing), 1, "reads it", reads_it));
    CHECK_OK(dvm_data_promise(8, &made));
    CHECK_OK(dvm_sched_onto_v(rank, takes_long, NULL, 0));
    await_part("runs 'takes long'");
    CHECK_OK(dvm_sched_onto_v(rank, makes_it, &made, 1));
    CHECK_OK(dvm_sched_near(reads_it, &made, 1));
    snprintf(part, sizeof part, "  Its publisher: 'makes it' (out {%" PRIu64 ", %" PRIu64 "}) on rank 0", made[0], made[1]);
    await_part(part);
    await_part("the output of 'makes it', which is ready, in a queue\n");
    atomic_store(&let_go, 1);
    await_part("the output of 'makes it', which runs on rank 0");
    await_part(part);
    atomic_store(&let_go, 2);
    CHECK_OK(dvm_finalize());
}

int main(void)
{
    size_t needed;
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_explain());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_explain_text(NULL, 0, &needed));
    a_waiting_task_is_named();
    a_producer_is_named();
    return check_end("explain");
}
