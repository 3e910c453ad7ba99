/* Explanations: the text that names what waits for what. */
#include "check.h"

static int nothing(void)
{
    return 0;
}

/* The whole text, in memory that the caller frees. */
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

int main(void)
{
    size_t needed;
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_explain());
    CHECK_CODE(DVM_ERR_NOT_INITIALIZED, dvm_explain_text(NULL, 0, &needed));
    a_waiting_task_is_named();
    return check_end("explain");
}
