/* Random calls by threads, tasks and free callbacks; each must return a code that the header names. */
#include "life.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSINGS = 8, ARGUMENTS = 12, TILES = 3000 };

static struct {
    dvm_processing_id_t id;
    int inputs, outputs;
} processings[PROCESSINGS];

/* Codes that any call may return once libdvm has stopped. */
static unsigned common(void)
{
    unsigned codes = CODE(DVM_SUCCESS) | (life.hunger ? CODE(DVM_ERR_MEMORY) : 0);
    if (life.abrupt || atomic_load(&over))
        codes |= CODE(DVM_ERR_NOT_INITIALIZED);
    return codes;
}

#define TRY(call, others) \
    __extension__({ \
        dvm_retcode_t code_ = (call); \
        judge(#call, code_, common() | (others)); \
        code_ == DVM_SUCCESS; \
    })

static void pause_for(dice_t *dice, int microseconds)
{
    struct timespec pause = {0, 1000L * (1 + dice_below(dice, microseconds))};
    nanosleep(&pause, NULL);
}

static dice_t dice_for(const void *salt)
{
    static atomic_ulong count;
    dice_t dice = {life.seed ^ ((uintptr_t)salt << 7) ^ (atomic_fetch_add(&count, 1) << 20)};
    return dice;
}

static int may_schedule(int where)
{
    return where == OUTSIDE || where == IN_MAIN || atomic_fetch_sub(&budget, 1) > 0;
}

/* ----- data ----- */

static void freed_memory(void *address, size_t size)
{
    dice_t dice = dice_for(address);
    if (size >= sizeof(uint64_t) && *(uint64_t *)address == 0x6672656564)
        defect("free callback called twice for %p", address);
    if (size >= sizeof(uint64_t))
        *(volatile uint64_t *)address = 0x6672656564;
    free(address);
    atomic_fetch_add(&freed, 1);
    if (dice_one_in(&dice, 3))
        random_call(&dice, IN_FREE);
}

_Thread_local int outlived;

static void write_pattern(const uint64_t *id, void *at, size_t size)
{
    uint64_t value = pattern(id);
    if (outlived)
        return;
    for (size_t k = 0; k + sizeof value <= size; k += sizeof value)
        memcpy((char *)at + k, &value, sizeof value);
}

static void check_pattern(const uint64_t *id, const void *at, size_t size)
{
    uint64_t expected = pattern(id), zero = 0, found;
    if (outlived)
        return;
    for (size_t k = 0; k + sizeof found <= size; k += sizeof found) {
        memcpy(&found, (const char *)at + k, sizeof found);
        if (found != expected && found != zero)
            defect("datum %llu: byte %zu of %zu holds %llx", (unsigned long long)id[1], k, size, (unsigned long long)found);
    }
}

static size_t random_size(dice_t *dice)
{
    static const size_t sizes[] = {0, 8, 8, 64, 1000, 5000, 70000};
    return sizes[dice_below(dice, 7)];
}

static void make_datum(dice_t *dice)
{
    slot_t slot = {{0, 0}, 1, 0};
    size_t size = random_size(dice), found = 0;
    void *at = NULL;
    if (dice_one_in(dice, 2)) {
        void *memory = calloc(1, size + 8);
        if (!memory)
            return;
        if (!TRY(dvm_data_register(memory, size, freed_memory, &slot.id), 0)) {
            free(memory);
            return;
        }
        atomic_fetch_add(&registered, 1);
    } else if (!TRY(dvm_data_allocate(size, &slot.id), 0)) {
        return;
    }
    if (TRY(dvm_data_get(slot.id, &at, &found), 0)) {
        write_pattern(slot.id, at, found);
        TRY(dvm_data_put(slot.id), 0);
    }
    for (int k = dice_below(dice, 4); k > 0; k--)
        TRY(dvm_data_acquire(slot.id), 0);
    slot_put(dice, &slot);
}

static void make_promise(dice_t *dice)
{
    slot_t slot = {{0, 0}, 1, 1};
    if (!TRY(dvm_data_promise(random_size(dice), &slot.id), 0))
        return;
    for (int k = dice_below(dice, 4); k > 0; k--)
        TRY(dvm_data_acquire(slot.id), 0);
    slot_put(dice, &slot);
}

/* Codes of calls on a datum that other threads use at the same time. */
#define ANY_STATE (CODE(DVM_ERR_ID) | CODE(DVM_ERR_STATE) | CODE(DVM_ERR_POISONED) | CODE(DVM_ERR_NO_REFERENCE))

/* The task on this thread: the bytes of an input may hold its own output (dvm_data_next). */
static _Thread_local struct {
    dvm_data_id_t *ids;
    int count;
} running;

static int is_own(const uint64_t *id)
{
    for (int k = 0; k < running.count; k++)
        if (running.ids[k][1] == id[1])
            return 1;
    return 0;
}

static void read_datum(dice_t *dice, int where)
{
    slot_t slot;
    void *at = NULL;
    size_t size = 0;
    int waits = where == OUTSIDE || where == IN_MAIN;
    /* Only finalize wakes a thread that waits for an unpublished datum, so main must not wait for one. */
    if (!slot_pick(dice, where == IN_MAIN || (waits && !life.abrupt), &slot))
        return;
    unsigned early = waits ? 0 : CODE(DVM_ERR_NOT_READY);
    if (!TRY(dvm_data_get(slot.id, &at, &size), ANY_STATE | early))
        return;
    if (!is_own(slot.id))
        check_pattern(slot.id, at, size);
    if (dice_one_in(dice, 4))
        pause_for(dice, 200);
    if (where != IN_TASK || dice_one_in(dice, 2))
        TRY(dvm_data_put(slot.id), ANY_STATE);
}

static void publish(const slot_t *slot, int write)
{
    void *at = NULL;
    size_t size = 0;
    dvm_data_id_t id = {slot->id[0], slot->id[1]};
    if (write && TRY(dvm_data_write(id, &at, &size), ANY_STATE))
        write_pattern(id, at, size);
    dvm_retcode_t code;
    while ((code = dvm_data_publish(id)) == DVM_ERR_MEMORY && life.hunger)
        let_eat(); /* otherwise other threads may wait for it for ever */
    judge("dvm_data_publish(id)", code, common() | ANY_STATE);
}

static void change_references(dice_t *dice)
{
    slot_t slot;
    if (!slot_pick(dice, 0, &slot))
        return;
    if (dice_one_in(dice, 2))
        TRY(dvm_data_acquire(slot.id), ANY_STATE);
    else
        TRY(dvm_data_relax(slot.id), ANY_STATE);
}

/* ----- tasks ----- */

static int body(void *context, dvm_data_id_t *ids, int count)
{
    int which = (int)(intptr_t)context;
    dice_t dice = dice_for(ids);
    void *at = NULL;
    size_t size = 0;
    for (int k = 0; k < count; k++) {
        int output = k >= processings[which].inputs;
        dvm_retcode_t code;
        /* An unwritten output would have the bytes of the datum whose memory it takes over. */
        while ((code = dvm_data_get(ids[k], &at, &size)) == DVM_ERR_MEMORY && output && life.hunger)
            let_eat();
        judge("dvm_data_get(ids[k], &at, &size)", code, common() | ANY_STATE);
        if (code != DVM_SUCCESS)
            continue;
        if (output)
            write_pattern(ids[k], at, size);
        else
            check_pattern(ids[k], at, size);
        if (dice_one_in(&dice, 3))
            TRY(dvm_data_put(ids[k]), ANY_STATE);
    }
    if (dice_one_in(&dice, 12) && TRY(dvm_blocking_begin(), 0)) {
        pause_for(&dice, 500);
        /* With or without memory, the remaining work must be found again. */
        judge("dvm_blocking_end()", dvm_blocking_end(), common() & ~CODE(DVM_ERR_MEMORY));
    }
    if (dice_one_in(&dice, 12))
        pause_for(&dice, 300);
    running.ids = ids, running.count = count;
    for (int k = dice_below(&dice, 3); k > 0; k--)
        random_call(&dice, IN_TASK);
    running.count = 0;
    return dice_one_in(&dice, 25) ? 7 : 0;
}

void processings_register(void)
{
    for (int k = 0; k < PROCESSINGS; k++) {
        int inputs = k < 4 ? k : 4 * (k - 3), outputs = k % 3, modes[64] = {0};
        if (inputs + outputs > ARGUMENTS)
            inputs = ARGUMENTS - outputs;
        for (int at = 0; at < outputs; at++)
            modes[inputs + at] = DVM_OUT;
        processings[k].inputs = inputs, processings[k].outputs = outputs;
        if (TRY(dvm_processing_register_v(body, (void *)(intptr_t)k, inputs + outputs, "a life's task", processings[k].id), 0))
            TRY(dvm_processing_access(processings[k].id, modes), 0);
    }
}

static void schedule(dice_t *dice, int where)
{
    if (!may_schedule(where))
        return;
    int which = dice_below(dice, PROCESSINGS), inputs = processings[which].inputs;
    int count = inputs + processings[which].outputs;
    dvm_data_id_t ids[ARGUMENTS];
    slot_t slot;
    for (int k = 0; k < inputs; k++) {
        if (!slot_pick(dice, !life.abrupt, &slot))
            return;
        memcpy(ids[k], slot.id, sizeof slot.id);
    }
    int made = inputs;
    for (; made < count; made++) {
        int carry = inputs > 0 && dice_one_in(dice, 3);
        int good = carry ? TRY(dvm_data_next(ids[dice_below(dice, inputs)], &ids[made]), CODE(DVM_ERR_ID))
                         : TRY(dvm_data_promise(random_size(dice), &ids[made]), 0);
        if (!good)
            break;
    }
    int scheduled = 0;
    if (made == count) {
        dvm_rank_t rank;
        uint64_t pus = 1;
        unsigned codes = ANY_STATE | CODE(DVM_ERR_PROCESSING);
        if (dice_one_in(dice, 2))
            scheduled = TRY(dvm_sched_near(processings[which].id, ids, count), codes);
        else if (TRY(dvm_rank_count(&pus), 0) && TRY(dvm_rank_at(dice_below(dice, (int)pus), rank, DVM_MAX_RANK_DEPTH), 0))
            scheduled = TRY(dvm_sched_onto_v(rank, processings[which].id, ids, count), codes);
    }
    for (int k = inputs; k < made; k++) {
        memcpy(slot.id, ids[k], sizeof slot.id);
        slot.sure = scheduled && !life.abrupt, slot.by_hand = 0;
        if (scheduled || life.abrupt)
            slot_put(dice, &slot);
        else
            TRY(dvm_data_relax(ids[k]), ANY_STATE);
    }
}

/* ----- graphs ----- */

typedef struct {
    atomic_long ran;
    long failing;
} graph_t;

static int tile(void *context, const int64_t *tile)
{
    graph_t *graph = context;
    dice_t dice = dice_for(tile);
    long ran = atomic_fetch_add(&graph->ran, 1);
    if (dice_one_in(&dice, 50))
        random_call(&dice, IN_TASK);
    return graph->failing && ran == graph->failing ? 3 : 0;
}

static void run_graph(dice_t *dice)
{
    int64_t lower[3], upper[3];
    int carried[3];
    long volume = 1;
    int dimension = dice_below(dice, 4);
    for (int k = 0; k < dimension; k++) {
        lower[k] = dice_below(dice, 100) - 50;
        upper[k] = lower[k] + dice_below(dice, 13) - 1;
        carried[k] = dice_one_in(dice, 2);
        volume *= upper[k] - lower[k] + 1;
    }
    graph_t state = {0};
    state.failing = dice_one_in(dice, 5) ? 1 + dice_below(dice, 40) : 0;
    dvm_graph_t graph = {.size = sizeof graph, .name = "a life's graph", .dimension = dimension, .lower = lower,
                         .upper = upper, .carried = carried, .run = tile, .context = &state};
    int good = TRY(dvm_graph_run(&graph), CODE(DVM_ERR_TASK) | CODE(DVM_ERR_STATE));
    if (good && atomic_load(&state.ran) != volume)
        defect("a graph of %ld tiles ran %ld", volume, atomic_load(&state.ran));
}

/* ----- all calls ----- */

static void ask(dice_t *dice)
{
    uint64_t load = 0, count = 0;
    dvm_rank_t rank;
    size_t needed = 0;
    char text[200];
    if (TRY(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH), 0))
        TRY(dvm_sched_load(rank, &load), 0);
    TRY(dvm_process(&load, &count), 0);
    if (dice_one_in(dice, 10))
        TRY(dvm_explain_text(text, sizeof text, &needed), 0);
}

static int short_task(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)ids, (void)count;
    return 0;
}

static void register_shortly(dice_t *dice, int where)
{
    dvm_processing_id_t id;
    if (!TRY(dvm_processing_register_v(short_task, &budget, 0, NULL, id), 0))
        return;
    if (dice_one_in(dice, 2))
        TRY(dvm_processing_cores(id, 1 + dice_below(dice, 3)), 0);
    for (int k = dice_below(dice, 3); k > 0 && may_schedule(where); k--)
        TRY(dvm_sched_near(id, NULL, 0), 0);
    TRY(dvm_processing_unregister(&id), 0);
}

void random_call(dice_t *dice, int where)
{
    slot_t slot;
    starve(dice);
    switch (dice_below(dice, 16)) {
    case 0: case 1: make_datum(dice); break;
    case 2: make_promise(dice); break;
    case 3: case 4: case 5: case 6: schedule(dice, where); break;
    case 7: case 8: read_datum(dice, where); break;
    case 9: case 10: change_references(dice); break;
    case 11:
        if (slot_pick(dice, 0, &slot) && slot.by_hand)
            publish(&slot, dice_one_in(dice, 2));
        break;
    case 12:
        if ((where == OUTSIDE || where == IN_MAIN) && dice_one_in(dice, 3))
            run_graph(dice);
        break;
    case 13: ask(dice); break;
    case 14: register_shortly(dice, where); break;
    default:
        if (life.forks && dice_one_in(dice, life.forks))
            random_fork(dice);
        else if (dice_one_in(dice, 4))
            pause_for(dice, 200);
    }
}

void janitor(void)
{
    slot_t slot;
    while (slot_by_hand(&slot))
        publish(&slot, slot.id[1] % 2);
}

/* ----- forks ----- */

static volatile sig_atomic_t orphan_call; /* the call in progress */

static void orphan_hangs(int signal)
{
    char text[] = "a forked child hangs in call ?\n";
    (void)signal;
    text[sizeof text - 3] = (char)('a' + orphan_call);
    (void)!write(2, text, sizeof text - 1);
    _exit(1);
}

void orphan(dice_t *dice)
{
    dvm_data_id_t id = {0, 1};
    dvm_processing_id_t processing = {0, 1};
    dvm_rank_t rank = {0};
    uint64_t number = 0;
    void *at = NULL;
    size_t size = 0;
    int modes[1] = {DVM_IN};
    signal(SIGALRM, orphan_hangs);
    alarm(50);
    sated();
    for (int k = 0; k < 12; k++) {
        dvm_retcode_t code = DVM_ERR_NOT_INITIALIZED;
        switch (orphan_call = dice_below(dice, 14)) {
        case 0: code = dvm_data_allocate(100, &id); break;
        case 1: code = dvm_data_promise(100, &id); break;
        case 2: code = dvm_data_get(id, &at, &size); break;
        case 3: code = dvm_data_relax(id); break;
        case 4: code = dvm_sched_near(processing, &id, 1); break;
        case 5: code = dvm_sched_onto_v(rank, processing, &id, 1); break;
        case 6: code = dvm_wait(); break;
        case 7: code = dvm_finalize(); break;
        case 8: code = dvm_sched_load(rank, &number); break;
        case 9: code = dvm_processing_register_v(short_task, NULL, 0, NULL, processing); break;
        case 10: code = dvm_processing_access(processing, modes); break;
        case 11: code = dvm_explain_text(NULL, 0, &size); break;
        case 12: code = dvm_blocking_begin(); break;
        default: /* after an abrupt end libdvm may be started anew in the child */
            if (!life.abrupt && (code = dvm_init()) == DVM_ERR_UNSUPPORTED)
                code = DVM_ERR_NOT_INITIALIZED;
            break;
        }
        if (code != DVM_ERR_NOT_INITIALIZED)
            _exit(2 + (int)code);
    }
    _exit(0);
}

void random_fork(dice_t *dice)
{
    int status = 0;
    if (atomic_load(&over))
        return;
    pid_t child = fork();
    if (child < 0)
        return;
    if (child == 0)
        orphan(dice);
    while (waitpid(child, &status, 0) < 0) {
    }
    if (WIFSIGNALED(status))
        defect("a forked child ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        defect("a call of a forked child gave code %d", WEXITSTATUS(status) - 2);
}
