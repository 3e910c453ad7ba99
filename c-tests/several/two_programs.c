/* Different programs as processes of one job: process 0 runs one, all others another one. Tasks of a shared object run everywhere;
 * a function of the one program is not in the other, which says so; a name means what the program of the process has.
 *
 * library: shared_tasks.c
 * other program: -DOTHER
 * also as: 6
 */
#include "several.h"

#ifdef OTHER
enum { PROGRAM = 2 };
#else
enum { PROGRAM = 1 };
#endif

int shared_who(dvm_data_id_t out);
int shared_task(dvm_data_id_t in, dvm_data_id_t out);
int (*shared_hidden_task(void))(void *, dvm_data_id_t *, int);
int in_both_programs(dvm_data_id_t in, dvm_data_id_t out);

int in_both_programs(dvm_data_id_t in, dvm_data_id_t out)
{
    return output_number(out, input_number(in) + 1000 * PROGRAM);
}

#ifndef OTHER
int in_one_program(dvm_data_id_t in, dvm_data_id_t out);

int in_one_program(dvm_data_id_t in, dvm_data_id_t out)
{
    return output_number(out, input_number(in) + 5);
}

/* The ranks are learnt by tasks of the shared object. */
static void learn_shared_ranks(void)
{
    static int is_output[] = {DVM_OUT};
    dvm_processing_id_t who;
    rank_owner = malloc(rank_count * sizeof *rank_owner);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(shared_who), 1, "shared who", who));
    CHECK_OK(dvm_processing_access(who, is_output));
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t answer;
        promise_of(8, answer);
        CHECK_OK(on_rank(i, who, &answer, 1));
        rank_owner[i] = take_number(answer);
        CHECK(rank_owner[i] < process_count);
    }
}

/* Runs it on each PU. `add` is what the number grows by in process 0, `add_elsewhere` in the other program; 0: its code is not
 * there, and the error mentions the parts. */
static void run_everywhere(dvm_processing_id_t p, uint64_t add, uint64_t add_elsewhere, const char *part, const char *other_part)
{
    for (uint64_t i = 0; i < rank_count; i++) {
        dvm_data_id_t ids[2];
        void *at = NULL;
        size_t size;
        uint64_t expected = rank_owner[i] == 0 ? add : add_elsewhere;
        new_number(ids[0], (int64_t)i);
        promise_of(8, ids[1]);
        CHECK_OK(on_rank(i, p, ids, 2));
        if (expected) {
            CHECK_NUMBER(i + expected, take_number(ids[1]));
            CHECK_OK(dvm_wait());
            continue;
        }
        CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(ids[1], &at, &size));
        CHECK_CODE(DVM_ERR_TASK, dvm_wait());
        CHECK_MENTIONS(part);
        CHECK_MENTIONS(other_part);
        CHECK_OK(dvm_wait());
        CHECK_OK(dvm_data_relax(ids[1]));
    }
}

static void drive(void)
{
    static int second_is_output[] = {DVM_IN, DVM_OUT};
    dvm_processing_id_t shared, hidden, own, by_name, missing;
    learn_shared_ranks();
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(shared_task), 2, "of the shared object", shared));
    several_register(shared_hidden_task(), (void *)777, 2, 1, "static in the shared object", hidden);
    CHECK_OK(dvm_processing_register(DVM_CALLBACK(in_one_program), 2, "of the program", own));
    CHECK_OK(dvm_processing_register_by_name("in_both_programs", 2, by_name));
    CHECK_OK(dvm_processing_register_by_name("in_one_program", 2, missing));
    CHECK_OK(dvm_processing_access(shared, second_is_output));
    CHECK_OK(dvm_processing_access(own, second_is_output));
    CHECK_OK(dvm_processing_access(by_name, second_is_output));
    CHECK_OK(dvm_processing_access(missing, second_is_output));
    run_everywhere(shared, 100, 100, "", "");
    run_everywhere(hidden, 777, 777, "", "");
    run_everywhere(own, 5, 0, "of the program", "start all processes from one program");
    run_everywhere(by_name, 1000, 2000, "", "");
    run_everywhere(missing, 5, 0, "in_one_program", "put it in a shared object");
}
#else
static void drive(void)
{
    /* Process 0 runs the other one. Used as well: the linker must not leave the shared object out. */
    CHECK(shared_hidden_task() != NULL && DVM_CALLBACK(shared_who) != NULL && DVM_CALLBACK(shared_task) != NULL);
}
#endif

int main(void)
{
    return several_main("two_programs", drive);
}
