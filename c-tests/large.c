/* Calls that need more memory than a limit of the system leaves: a plan, a text, an explanation. The call returns
 * DVM_ERR_MEMORY, or reports less, and the program goes on. */
#include "check.h"
#include "limit.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITING = 100000 };

static dvm_distribution_t from, to;
static dvm_processing_id_t one;
static dvm_data_id_t gate;

static int run(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

static void set_up(void)
{
    /* Two dimensions linked by bounds, which cannot be folded. */
    CHECK_OK(dvm_distribution_parse("t = 0\n+ 1*i data local 0 .. 599\n\nt = 0\n+ 200*p arch pe 0 .. 2\n+ 1*j data local 0 .. min(199, i)", "", &from));
    CHECK_OK(dvm_distribution_parse("t = 0\n+ 7*p arch pe 0 .. 85\n+ 1*i data local 0 .. 6\n\nt = 0\n+ 1*j data local 0 .. 599", "", &to));
    CHECK_OK(dvm_processing_register_v(run, NULL, 1, "waits", one));
    CHECK_OK(dvm_data_promise(8, &gate));
    for (int i = 0; i < WAITING; i++) {
        CHECK_OK(dvm_data_acquire(gate));
        CHECK_OK(dvm_sched_near(one, &gate, 1));
    }
}

static dvm_retcode_t plan(int flags)
{
    dvm_redistribution_t made;
    dvm_retcode_t code = dvm_redistribution_plan(from, to, flags, &made);
    if (code == DVM_SUCCESS)
        CHECK_OK(dvm_redistribution_free(made));
    return code;
}
static dvm_retcode_t plan_for_fewest(void)
{
    return plan(0);
}
static dvm_retcode_t plan_for_balance(void)
{
    return plan(DVM_REDISTRIBUTION_BALANCE);
}
static char *text;
static dvm_retcode_t parse(void)
{
    dvm_distribution_t made;
    dvm_retcode_t code = dvm_distribution_parse(text, "", &made);
    CHECK(code != DVM_SUCCESS);
    return code;
}
static dvm_retcode_t explain(void)
{
    static char buffer[10000];
    size_t needed = 0;
    dvm_retcode_t code = dvm_explain_text(buffer, sizeof buffer, &needed);
    CHECK(code != DVM_SUCCESS || needed > 20);
    return code;
}

static void each(int tight)
{
    int refused = 0;
    refused += plan_for_fewest() == DVM_ERR_MEMORY;
    refused += plan_for_balance() == DVM_ERR_MEMORY;
    CHECK_OK(explain());
    refused += parse() == DVM_ERR_MEMORY;
    CHECK(!tight || refused == 3);
    CHECK(tight || refused == 0);
}

/* Limits memory to this many MiB more than in use; 0: no limit. */
static void with_a_limit_of(size_t more)
{
    pid_t child = fork();
    if (child == 0) {
        const char *beginnings[] = {"{\"dims\": [{\"offset\": \"", "[[[", "no JSON"};
        struct rlimit before, limit;
        size_t size = 6 << 20;
        alarm(250);
        text = malloc(size + 1);
        CHECK(text != NULL);
        CHECK_OK(dvm_init());
        set_up();
        CHECK_NUMBER(0, getrlimit(RLIMIT_AS, &before));
        for (int k = 0; k < 3; k++) {
            memset(text, 'x', size);
            text[size] = '\0';
            memcpy(text, beginnings[k], strlen(beginnings[k]));
            limit = before;
            limit.rlim_cur = address_space() + (more << 20);
            if (more > 0)
                CHECK_NUMBER(0, setrlimit(RLIMIT_AS, &limit));
            each(more > 0 && more < 32);
            CHECK_NUMBER(0, setrlimit(RLIMIT_AS, &before));
            if (more > 0 && k == 0)
                each(0);
        }
        CHECK_OK(dvm_data_publish(gate));
        CHECK_OK(dvm_wait());
        CHECK_OK(dvm_finalize());
        _exit(check_end("large"));
    }
    int status = 0;
    CHECK_NUMBER(child, waitpid(child, &status, 0));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fprintf(stderr, "with %zu MiB: status %d\n", more, status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const size_t limits[] = {0, 3, 6, 12, 24};
    mallopt(M_MMAP_THRESHOLD, 128 << 10); /* a large list that is freed goes back: kept, it would do for the next plan */
    mallopt(M_ARENA_MAX, 1);              /* no room in the address space that is set aside for other threads */
    for (int k = 0; k < 5; k++)
        with_a_limit_of(limits[k]);
    return check_end("large");
}
