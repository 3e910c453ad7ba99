/* Processings: by address, static, by name, with a number as context; registered in any process, run in any; unregistered while
 * tasks wait. */
#include "several.h"

static int static_function(dvm_data_id_t in, dvm_data_id_t out)
{
    return output_number(out, input_number(in) + 1);
}

int named_function(dvm_data_id_t in, dvm_data_id_t out);

/* Its last argument is an input, as all are: it writes through a datum's id. */
int named_function(dvm_data_id_t in, dvm_data_id_t result)
{
    dvm_data_id_t ids[2];
    uint64_t *words = bytes_of(result, 4 * 8);
    dvm_processing_id_t answer = {words[0], words[1]};
    new_number(ids[0], (int64_t)(input_number(in) + 2));
    dvm_id_copy(ids[1], &words[2]);
    return on_rank(0, answer, ids, 2) != DVM_SUCCESS;
}

static int copy_number(dvm_data_id_t in, dvm_data_id_t out)
{
    return output_number(out, input_number(in));
}

static int with_context(void *context, dvm_data_id_t *ids, int count)
{
    for (int i = 1; i < count; i++)
        if (output_number(ids[i], input_number(ids[0]) + (uintptr_t)context + (uint64_t)i))
            return 1;
    return 0;
}

static int seven(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t c, dvm_data_id_t d, dvm_data_id_t e, dvm_data_id_t f,
                 dvm_data_id_t out)
{
    return output_number(out, input_number(a) + 2 * input_number(b) + 3 * input_number(c) + 4 * input_number(d) +
                                  5 * input_number(e) + 6 * input_number(f));
}

static dvm_processing_id_t registrar, unregistrar;

/* Registers in the process of the task, and tells the id. */
static int register_here(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_processing_id_t p;
    several_register(with_context, (void *)(uintptr_t)(1000 * my_process()), 2, 1, "of the process", p);
    return output_bytes(ids[0], p, sizeof p);
}

static int unregister_here(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    dvm_processing_id_t p;
    memcpy(p, bytes_of(ids[0], sizeof p), sizeof p);
    CHECK_OK(dvm_processing_unregister(&p));
    return output_number(ids[1], 1);
}

static uint64_t result_of(dvm_processing_id_t p, uint64_t rank, uint64_t argument)
{
    dvm_data_id_t ids[2];
    new_number(ids[0], (int64_t)argument);
    promise_of(8, ids[1]);
    CHECK_OK(on_rank(rank, p, ids, 2));
    return take_number(ids[1]);
}

static void kinds(void)
{
    static int last_is_output[] = {DVM_IN, DVM_OUT}, last_of_seven[] = {0, 0, 0, 0, 0, 0, DVM_OUT};
    dvm_processing_id_t by_address, answer, wide, variable;
    dvm_processing_id_t by_name;
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(static_function), 2, "static function", by_address));
    CHECK_OK(dvm_processing_access(by_address, last_is_output));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(copy_number), 2, "answer", answer));
    CHECK_OK(dvm_processing_access(answer, last_is_output));
    CHECK_OK(dvm_processing_register_by_name("named_function", 2, by_name));
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(seven), 7, "seven arguments", wide));
    CHECK_OK(dvm_processing_access(wide, last_of_seven));
    CHECK_CODE(DVM_ERR_SYMBOL, dvm_processing_register_by_name("no_function_has_this_name", 2, variable));
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t ids[7], result;
        uint64_t words[4];
        CHECK_NUMBER(i + 1, result_of(by_address, i, i));

        promise_of(8, result);
        dvm_id_copy(words, answer);
        dvm_id_copy(&words[2], result);
        new_number(ids[0], (int64_t)i);
        new_bytes(ids[1], words, sizeof words);
        CHECK_OK(on_rank(i, by_name, ids, 2));
        CHECK_NUMBER(i + 2, take_number(result));

        for (int64_t k = 0; k < 6; k++)
            new_number(ids[k], k);
        promise_of(8, ids[6]);
        dvm_rank_t rank;
        nth_rank(i, rank);
        CHECK_OK(dvm_sched_onto(rank, wide, ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6]));
        CHECK_NUMBER(2 * 1 + 3 * 2 + 4 * 3 + 5 * 4 + 6 * 5, take_number(ids[6]));
    }
}

/* Many outputs, a number as context. */
static void contexts(void)
{
    static const int counts[] = {2, 3, 9, 40};
    for (int c = 0; c < 4; c++) {
        dvm_processing_id_t p;
        dvm_data_id_t ids[40];
        several_register(with_context, (void *)(uintptr_t)(77 + c), counts[c], counts[c] - 1, "with context", p);
        for (uint64_t i = 0; i < rank_count; i++) {
            new_number(ids[0], (int64_t)(i * 100));
            for (int k = 1; k < counts[c]; k++)
                promise_of(8, ids[k]);
            CHECK_OK(on_rank(i, p, ids, counts[c]));
            for (int k = 1; k < counts[c]; k++)
                CHECK_NUMBER(i * 100 + 77 + c + k, take_number(ids[k]));
        }
        CHECK_OK(dvm_processing_unregister(&p));
        CHECK_CODE(DVM_ERR_PROCESSING, on_rank(0, p, ids, counts[c]));
    }
}

/* Registered in one process, scheduled by another one, run in a third. */
static void of_others(void)
{
    for (uint64_t home = 0; home < process_count; home++) {
        dvm_data_id_t ids[2];
        dvm_processing_id_t p;
        promise_of(sizeof p, ids[0]);
        CHECK_OK(on_process(home, registrar, ids, 1));
        take_bytes(ids[0], p, sizeof p);
        CHECK_NUMBER(home, p[0]);
        for (uint64_t i = 0; i < rank_count; i++)
            CHECK_NUMBER(i + 1000 * home + 1, result_of(p, i, i));
        new_bytes(ids[0], p, sizeof p);
        promise_of(8, ids[1]);
        CHECK_OK(on_process(home, unregistrar, ids, 2));
        CHECK_NUMBER(1, take_number(ids[1]));
        CHECK_OK(dvm_wait());
        /* Nobody can schedule it any more: told at once, or by the task. */
        new_number(ids[0], 0);
        promise_of(8, ids[1]);
        dvm_retcode_t code = on_rank(home, p, ids, 2);
        if (code == DVM_SUCCESS) {
            void *at;
            size_t size;
            CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(ids[1], &at, &size));
            CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        } else {
            CHECK_NUMBER(DVM_ERR_PROCESSING, code);
            CHECK_OK(dvm_data_relax(ids[0]));
        }
        CHECK_OK(dvm_data_relax(ids[1]));
    }
    dvm_processing_id_t nowhere = {1000000, 1};
    CHECK_CODE(DVM_ERR_PROCESSING, on_rank(0, nowhere, NULL, 0));
}

/* Tasks that wait on all PUs run, although their processing is unregistered. */
static void unregister_early(void)
{
    dvm_processing_id_t p;
    dvm_data_id_t gate, *results = malloc(rank_count * sizeof *results);
    several_register(with_context, (void *)5, 2, 1, "unregistered early", p);
    promise_of(8, gate);
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t ids[2];
        dvm_id_copy(ids[0], gate);
        promise_of(8, ids[1]);
        dvm_id_copy(results[i], ids[1]);
        CHECK_OK(dvm_data_acquire(gate));
        CHECK_OK(on_rank(i, p, ids, 2));
    }
    CHECK_OK(dvm_processing_unregister(&p));
    CHECK_CODE(DVM_ERR_PROCESSING, on_rank(0, p, results, 2));
    CHECK_OK(dvm_data_publish(gate));
    for (uint64_t i = 0; i < rank_count; i++)
        CHECK_NUMBER(6, take_number(results[i]));
    CHECK_OK(dvm_data_relax(gate));
    free(results);
}

static void drive(void)
{
    learn_ranks();
    several_register(register_here, NULL, 1, 1, "registrar", registrar);
    several_register(unregister_here, NULL, 2, 1, "unregistrar", unregistrar);
    kinds();
    contexts();
    for (int i = 0; i < 3; i++)
        of_others();
    for (int i = 0; i < 20; i++)
        unregister_early();
    CHECK_OK(dvm_wait());
}

int main(void)
{
    return several_main("processings", drive);
}
