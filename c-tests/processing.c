/* Processings: registration by pointer, by name and with a context; any number of arguments; access modes; the end of a
 * processing; failures. */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>

/* ----- call-backs of many arities: argument k holds the number k + 1 ----- */

static atomic_llong taken;

static int account(int count, uint64_t **ids)
{
    for (int k = 0; k < count; k++)
        CHECK_NUMBER(k + 1, number_in(ids[k]));
    atomic_store(&taken, count);
    return 0;
}

#define P4(x) dvm_data_id_t a##x##0, dvm_data_id_t a##x##1, dvm_data_id_t a##x##2, dvm_data_id_t a##x##3
#define P16(x) P4(x##0), P4(x##1), P4(x##2), P4(x##3)
#define N4(x) a##x##0, a##x##1, a##x##2, a##x##3
#define N16(x) N4(x##0), N4(x##1), N4(x##2), N4(x##3)
#define I4(x) id[4 * (x)], id[4 * (x) + 1], id[4 * (x) + 2], id[4 * (x) + 3]
#define I16(x) I4(4 * (x)), I4(4 * (x) + 1), I4(4 * (x) + 2), I4(4 * (x) + 3)

static int take0(void) { return account(0, NULL); }
static int take1(dvm_data_id_t a) { return account(1, (uint64_t *[]){a}); }
static int take2(dvm_data_id_t a, dvm_data_id_t b) { return account(2, (uint64_t *[]){a, b}); }
static int take3(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t c) { return account(3, (uint64_t *[]){a, b, c}); }
static int take4(P4(0)) { return account(4, (uint64_t *[]){N4(0)}); }
static int take5(P4(0), dvm_data_id_t b) { return account(5, (uint64_t *[]){N4(0), b}); }
static int take6(P4(0), dvm_data_id_t b, dvm_data_id_t c) { return account(6, (uint64_t *[]){N4(0), b, c}); }
static int take7(P4(0), dvm_data_id_t b, dvm_data_id_t c, dvm_data_id_t d)
{
    return account(7, (uint64_t *[]){N4(0), b, c, d});
}
static int take8(P4(0), P4(1)) { return account(8, (uint64_t *[]){N4(0), N4(1)}); }
static int take9(P4(0), P4(1), dvm_data_id_t b) { return account(9, (uint64_t *[]){N4(0), N4(1), b}); }
static int take16(P16(0)) { return account(16, (uint64_t *[]){N16(0)}); }
static int take17(P16(0), dvm_data_id_t b) { return account(17, (uint64_t *[]){N16(0), b}); }
static int take32(P16(0), P16(1)) { return account(32, (uint64_t *[]){N16(0), N16(1)}); }
static int take64(P16(0), P16(1), P16(2), P16(3))
{
    return account(64, (uint64_t *[]){N16(0), N16(1), N16(2), N16(3)});
}

static uint64_t id[64][2];

static void numbers(int count)
{
    atomic_store(&taken, -1);
    for (int k = 0; k < count; k++)
        new_number(id[k], k + 1);
}

static void arity_was(int count, dvm_processing_id_t *processing)
{
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(count, atomic_load(&taken));
    for (int k = 0; k < count; k++)
        CHECK_GONE(id[k]);
    CHECK_OK(dvm_processing_unregister(processing));
}

/* Registers take<n>, runs it with the rest of the arguments, and checks that it got them all. */
#define ARITY(n, ...)                                                                   \
    do {                                                                                \
        dvm_processing_id_t p;                                                          \
        dvm_rank_t rank;                                                                \
        nth_rank(n, rank);                                                              \
        numbers(n);                                                                     \
        CHECK_OK(dvm_processing_register((int (*)())take##n, n, "takes " #n, p));       \
        CHECK_OK(dvm_sched_onto(rank, p, ##__VA_ARGS__));                               \
        arity_was(n, &p);                                                               \
    } while (0)

static void arities(void)
{
    ARITY(0);
    ARITY(1, id[0]);
    ARITY(2, id[0], id[1]);
    ARITY(3, id[0], id[1], id[2]);
    ARITY(4, I4(0));
    ARITY(5, I4(0), id[4]);
    ARITY(6, I4(0), id[4], id[5]);
    ARITY(7, I4(0), id[4], id[5], id[6]);
    ARITY(8, I4(0), I4(1));
    ARITY(9, I4(0), I4(1), id[8]);
    ARITY(16, I16(0));
    ARITY(17, I16(0), id[16]);
    ARITY(32, I16(0), I16(1));
    ARITY(64, I16(0), I16(1), I16(2), I16(3));
}

/* ----- the form with a context ----- */

static int count_arguments(void *context, dvm_data_id_t *ids, int count)
{
    int64_t sum = 0;
    for (int k = 0; k < count; k++)
        sum += number_in(ids[k]);
    atomic_store((atomic_llong *)context, sum);
    return 0;
}

static void with_context(void)
{
    enum { MANY = 1000 };
    static uint64_t ids[MANY][2];
    atomic_llong sum = -1;
    dvm_processing_id_t p;
    dvm_rank_t rank;

    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register_v(count_arguments, &sum, MANY, NULL, p));
    for (int k = 0; k < MANY; k++)
        new_number(ids[k], k);
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(rank, p, ids, MANY - 1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(rank, p, ids, -1));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_sched_onto_v(rank, p, NULL, MANY));
    CHECK_OK(dvm_sched_onto_v(rank, p, ids, MANY));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(MANY * (MANY - 1) / 2, atomic_load(&sum));
    CHECK_OK(dvm_processing_unregister(&p));

    /* No arguments: NULL is an array of none. */
    CHECK_OK(dvm_processing_register_v(count_arguments, &sum, 0, NULL, p));
    CHECK_OK(dvm_sched_onto_v(rank, p, NULL, 0));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(0, atomic_load(&sum));
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- by name ----- */

static atomic_int named_ran;

int dvm_test_named(dvm_data_id_t a)
{
    CHECK_NUMBER(1, number_in(a));
    atomic_fetch_add(&named_ran, 1);
    return 0;
}

static void by_name(void)
{
    dvm_processing_id_t p = {7, 7};
    dvm_rank_t rank;
    char name[] = "dvm_test_named";

    nth_rank(0, rank);
    numbers(1);
    CHECK_OK(dvm_processing_register_by_name(name, 1, p));
    memset(name, 'x', sizeof name - 1); /* pointers are not kept */
    CHECK_OK(dvm_sched_onto(rank, p, id[0]));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(1, atomic_load(&named_ran));
    CHECK_OK(dvm_processing_unregister(&p));

    /* The error names the symbol and the remedy, and writes no identifier. */
    dvm_processing_id_t none = {7, 7};
    CHECK_CODE(DVM_ERR_SYMBOL, dvm_processing_register_by_name("dvm_test_no_such_symbol", 1, none));
    CHECK_MENTIONS("dvm_test_no_such_symbol");
    CHECK_MENTIONS("-rdynamic");
    CHECK_MENTIONS("ENABLE_EXPORTS");
    CHECK(none[0] == 7 && none[1] == 7);
    CHECK_CODE(DVM_ERR_SYMBOL, dvm_processing_register_by_name("", 1, none));

    /* The whole process is searched: a library that was loaded later counts. */
    dvm_processing_id_t loaded;
    CHECK_CODE(DVM_ERR_SYMBOL, dvm_processing_register_by_name("dvm_test_loaded", 1, loaded));
    void *library = dlopen(DVM_TEST_LOADED, RTLD_NOW | RTLD_GLOBAL);
    CHECK(library != NULL);
    numbers(1);
    CHECK_OK(dvm_processing_register_by_name("dvm_test_loaded", 1, loaded));
    CHECK_OK(dvm_sched_onto(rank, loaded, id[0]));
    CHECK_OK(dvm_wait());
    int *ran = library ? dlsym(library, "dvm_test_loaded_ran") : NULL;
    CHECK(ran && *ran == 1);
    CHECK_OK(dvm_processing_unregister(&loaded));
}

/* ----- failures ----- */

static int fail_with(void *context, dvm_data_id_t *ids, int count)
{
    (void)ids, (void)count;
    return *(int *)context;
}

static int never(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    CHECK(!"a task on a poisoned datum runs");
    return 0;
}

static void failures(void)
{
    char description[] = "the one that fails";
    int code = -4242;
    int in_out[] = {DVM_IN, DVM_OUT};
    dvm_processing_id_t fails, reads;
    dvm_data_id_t input, output, child;
    dvm_rank_t rank;
    void *at;
    size_t size;

    nth_rank(1, rank);
    CHECK_OK(dvm_processing_register_v(fail_with, &code, 2, description, fails));
    CHECK_OK(dvm_processing_register_v(never, NULL, 2, "reader", reads));
    CHECK_OK(dvm_processing_access(fails, in_out));
    CHECK_OK(dvm_processing_access(reads, in_out));
    memset(description, 'x', sizeof description - 1); /* the text is the library's own */

    new_number(input, 1);
    CHECK_OK(dvm_data_promise(8, &output));
    CHECK_OK(dvm_data_promise(8, &child));
    /* Readers before and after the failure. */
    CHECK_OK(dvm_data_acquire(output));
    CHECK_OK(dvm_data_acquire(output));
    CHECK_OK(dvm_sched_onto(rank, reads, output, child));
    CHECK_OK(dvm_sched_onto(rank, fails, input, output));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    CHECK_MENTIONS("the one that fails");
    CHECK_MENTIONS("-4242");
    CHECK_OK(dvm_wait()); /* each failure is reported once */

    CHECK_GONE(input); /* a failed task drops its references, too */
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(output, &at, &size));
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(child, &at, &size));

    dvm_data_id_t grandchild;
    CHECK_OK(dvm_data_promise(8, &grandchild));
    CHECK_OK(dvm_sched_onto(rank, reads, child, grandchild));
    dvm_retcode_t after = dvm_wait();
    CHECK(after == DVM_SUCCESS || after == DVM_ERR_TASK);
    CHECK_CODE(DVM_ERR_POISONED, dvm_data_get(grandchild, &at, &size));
    CHECK_OK(dvm_data_relax(grandchild));
    CHECK_OK(dvm_data_relax(output));
    CHECK_OK(dvm_data_relax(output));
    CHECK_GONE(output);
    CHECK_GONE(child);
    CHECK_OK(dvm_processing_unregister(&fails));
    CHECK_OK(dvm_processing_unregister(&reads));

    /* A failure says nothing about tasks that do not depend on it. */
    dvm_processing_id_t good;
    CHECK_OK(dvm_processing_register_v(fail_with, &code, 0, NULL, fails));
    CHECK_OK(dvm_processing_register((int (*)())take1, 1, NULL, good));
    numbers(1);
    CHECK_OK(dvm_sched_onto(rank, fails));
    CHECK_OK(dvm_sched_onto(rank, good, id[0]));
    CHECK_CODE(DVM_ERR_TASK, dvm_wait());
    CHECK_MENTIONS("-4242");
    CHECK_NUMBER(1, atomic_load(&taken));
    CHECK_OK(dvm_processing_unregister(&fails));
    CHECK_OK(dvm_processing_unregister(&good));
}

/* ----- access modes ----- */

static void access_modes(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    int wrong[] = {DVM_IN, 4}, negative[] = {-1, DVM_IN}, good[] = {DVM_IN, DVM_OUT};

    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())take2, 2, NULL, p));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(p, wrong));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(p, negative));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_access(p, NULL));
    CHECK_OK(dvm_processing_access(p, good));
    int inputs[] = {DVM_IN, DVM_IN};
    CHECK_OK(dvm_processing_access(p, inputs)); /* until the first task, the last call counts */
    numbers(2);
    CHECK_OK(dvm_sched_onto(rank, p, id[0], id[1]));
    CHECK_CODE(DVM_ERR_STATE, dvm_processing_access(p, good));
    CHECK_OK(dvm_wait());
    CHECK_CODE(DVM_ERR_STATE, dvm_processing_access(p, good));
    CHECK_OK(dvm_processing_unregister(&p));
}

/* ----- the end of a processing ----- */

static void unregistered(void)
{
    dvm_processing_id_t p, copy;
    dvm_data_id_t gate;
    dvm_rank_t rank;
    int modes[] = {DVM_IN};

    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())take2, 2, "takes 2", p));
    memcpy(copy, p, sizeof copy);
    CHECK_OK(dvm_data_promise(sizeof(int64_t), &gate));
    numbers(1);
    CHECK_OK(dvm_sched_onto(rank, p, id[0], gate));
    CHECK_OK(dvm_processing_unregister(&p));

    CHECK_CODE(DVM_ERR_PROCESSING, dvm_sched_onto(rank, copy, id[0], gate));
    CHECK_CODE(DVM_ERR_PROCESSING, dvm_sched_onto_v(rank, copy, &gate, 1));
    CHECK_CODE(DVM_ERR_PROCESSING, dvm_sched_near(copy, &gate, 1));
    CHECK_CODE(DVM_ERR_PROCESSING, dvm_processing_access(copy, modes));
    CHECK_CODE(DVM_ERR_PROCESSING, dvm_processing_unregister(&copy));

    /* The queued task still runs. */
    void *at = NULL;
    size_t size = 0;
    CHECK_OK(dvm_data_write(gate, &at, &size));
    int64_t two = 2;
    if (at)
        memcpy(at, &two, sizeof two);
    CHECK_OK(dvm_data_publish(gate));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(2, atomic_load(&taken));

    dvm_processing_id_t never_given[] = {{0, 0}, {0, UINT64_MAX}, {UINT64_MAX, 1}};
    for (int i = 0; i < 3; i++) {
        CHECK_CODE(DVM_ERR_PROCESSING, dvm_sched_onto_v(rank, never_given[i], NULL, 0));
        CHECK_CODE(DVM_ERR_PROCESSING, dvm_processing_unregister(&never_given[i]));
    }
}

/* ----- a task may register ----- */

static atomic_int inner_ran;
static int inner(void)
{
    atomic_fetch_add(&inner_ran, 1);
    return 0;
}

static int outer(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    nth_rank(1, rank);
    CHECK_OK(dvm_processing_register((int (*)())inner, 0, "inner", p));
    CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_processing_unregister(&p));
    return 0;
}

static void registered_by_tasks(void)
{
    dvm_processing_id_t p;
    dvm_rank_t rank;
    nth_rank(0, rank);
    CHECK_OK(dvm_processing_register((int (*)())outer, 0, "outer", p));
    for (int i = 0; i < 50; i++)
        CHECK_OK(dvm_sched_onto(rank, p));
    CHECK_OK(dvm_wait());
    CHECK_NUMBER(50, atomic_load(&inner_ran));
    CHECK_OK(dvm_processing_unregister(&p));
}

static void wrong_counts(void)
{
    dvm_processing_id_t p = {7, 7};
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register((int (*)())inner, -1, NULL, p));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register_v(never, NULL, -1, NULL, p));
    CHECK_CODE(DVM_ERR_ARGUMENT, dvm_processing_register_by_name("dvm_test_named", -1, p));
    CHECK(p[0] == 7 && p[1] == 7);
}

int main(void)
{
    CHECK_OK(dvm_init());
    arities();
    with_context();
    by_name();
    failures();
    access_modes();
    unregistered();
    registered_by_tasks();
    wrong_counts();
    CHECK_OK(dvm_finalize());
    return check_end("processing");
}
