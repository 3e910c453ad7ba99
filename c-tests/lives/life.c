/* One life of libdvm from a seed: repeats init, random calls by many threads, their tasks and callbacks, and finalize.
 *
 *     life SEED [KEY=VALUE ...]     keys: threads rounds calls abrupt forks hunger
 *
 * Exit status 0: the header names every returned code, every datum kept its bytes, every free callback ran once. The
 * driver (run.sh) kills a life that takes too long. With hunger any call may also report that there is no memory. */
#include "life.h"
#include "../failing.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

life_t life;
atomic_long budget, registered, freed;
atomic_int over;

static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static slot_t slots[SLOTS];
static pthread_key_t last_words;

void defect(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "life %llu: ", (unsigned long long)life.seed);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    _exit(1);
}

void judge(const char *call, dvm_retcode_t code, unsigned allowed)
{
    if (code != DVM_SUCCESS && (dvm_last_error() == NULL || dvm_last_error()[0] == '\0'))
        defect("%s gave code %d without a text", call, (int)code);
    if (!(allowed & CODE(code)))
        defect("%s gave code %d: %s", call, (int)code, dvm_last_error());
}

uint64_t pattern(const uint64_t *id)
{
    return (id[1] + 1) * 0x9e3779b97f4a7c15u | 1;
}

void slots_clear(void)
{
    pthread_mutex_lock(&slots_lock);
    memset(slots, 0, sizeof slots);
    pthread_mutex_unlock(&slots_lock);
}

void slot_put(dice_t *dice, const slot_t *slot)
{
    pthread_mutex_lock(&slots_lock);
    int at = dice_below(dice, SLOTS), tries = 0;
    /* A promise to fulfil by hand stays until the janitor has taken it: other threads may wait for it. */
    while (slots[at].by_hand && tries++ < SLOTS)
        at = (at + 1) % SLOTS;
    if (!slots[at].by_hand)
        slots[at] = *slot;
    pthread_mutex_unlock(&slots_lock);
}

int slot_by_hand(slot_t *slot)
{
    int at = 0;
    pthread_mutex_lock(&slots_lock);
    while (at < SLOTS && !slots[at].by_hand)
        at++;
    if (at < SLOTS) {
        *slot = slots[at];
        slots[at].by_hand = 0;
    }
    pthread_mutex_unlock(&slots_lock);
    return at < SLOTS;
}

int slot_pick(dice_t *dice, int sure, slot_t *slot)
{
    pthread_mutex_lock(&slots_lock);
    *slot = slots[dice_below(dice, SLOTS)];
    pthread_mutex_unlock(&slots_lock);
    return slot->id[1] != 0 && (slot->sure || !sure);
}

/* ----- hunger ----- */

#ifdef DVM_FAILING
void hungry(void)
{
    if (life.hunger)
        atomic_store(&one_in, life.hunger);
}

void sated(void)
{
    atomic_store(&one_in, 0);
    atomic_store(&none_at_all, 0);
    countdown = 0;
}

void let_eat(void)
{
    atomic_store(&none_at_all, 0);
    countdown = 0;
}

void starve(dice_t *dice)
{
    if (!life.hunger || !atomic_load(&one_in))
        return;
    countdown = dice_one_in(dice, 2) ? 1 + dice_below(dice, 12) : 0;
    for_good = dice_one_in(dice, 2);
    if (dice_one_in(dice, 4))
        atomic_store(&none_at_all, dice_one_in(dice, 2));
}
#else
void hungry(void) {}
void sated(void) {}
void let_eat(void) {}
void starve(dice_t *dice)
{
    (void)dice;
}
#endif

/* ----- threads ----- */

static void destructor(void *argument)
{
    dice_t dice = {life.seed ^ (uintptr_t)argument};
    for (int k = 0; k < 3; k++)
        random_call(&dice, OUTSIDE);
}

static void *caller(void *argument)
{
    dice_t dice = {life.seed * 77 + (uintptr_t)argument};
    outlived = life.abrupt;
    if (dice_one_in(&dice, 4) && !atomic_load(&over))
        pthread_setspecific(last_words, argument);
    for (int k = 0; k < life.calls && !atomic_load(&over); k++)
        random_call(&dice, OUTSIDE);
    return NULL;
}

static void *janitor_of_round(void *argument)
{
    atomic_int *end = argument;
    outlived = life.abrupt;
    while (!atomic_load(end)) {
        struct timespec pause = {0, 300000};
        janitor();
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void live_round(dice_t *dice)
{
    pthread_t threads[64], cleaner;
    atomic_int end = 0;
    unsigned codes = CODE(DVM_SUCCESS) | CODE(DVM_ERR_TASK) | CODE(DVM_ERR_STATE);
    /* Without memory a trace may be lost, which finalize reports. */
    unsigned at_the_end = codes | (life.hunger ? CODE(DVM_ERR_ARGUMENT) : 0);
    slots_clear();
    atomic_store(&over, 0);
    atomic_store(&budget, 300);
    judge("dvm_init", dvm_init(), CODE(DVM_SUCCESS));
    processings_register();
    pthread_create(&cleaner, NULL, janitor_of_round, &end);
    for (int k = 0; k < life.threads; k++)
        pthread_create(&threads[k], NULL, caller, (void *)(intptr_t)(k + 1));
    hungry();
    for (int k = 0; k < life.calls; k++) {
        random_call(dice, IN_MAIN);
        if (!life.abrupt && dice_one_in(dice, 60))
            judge("dvm_wait", dvm_wait(), codes);
    }
    if (life.abrupt) {
        judge("dvm_finalize", dvm_finalize(), at_the_end);
        atomic_store(&over, 1);
        sated();
    }
    for (int k = 0; k < life.threads; k++)
        pthread_join(threads[k], NULL);
    if (!life.abrupt)
        judge("dvm_wait", dvm_wait(), codes);
    atomic_store(&over, 1);
    atomic_store(&end, 1);
    pthread_join(cleaner, NULL);
    if (!life.abrupt)
        judge("dvm_finalize", dvm_finalize(), at_the_end);
    sated();
    if (atomic_load(&registered) != atomic_load(&freed))
        defect("%ld data were registered, %ld freed", atomic_load(&registered), atomic_load(&freed));
}

static int setting(const char *key, int argc, char **argv, int value)
{
    size_t length = strlen(key);
    for (int k = 2; k < argc; k++)
        if (strncmp(argv[k], key, length) == 0 && argv[k][length] == '=')
            return atoi(argv[k] + length + 1);
    return value;
}

static void environment(dice_t *dice)
{
    static const char *workers[] = {"1", "2", "2", "3", "8"};
    setenv("DVM_WORKERS", workers[dice_below(dice, 5)], 0);
    if (dice_one_in(dice, 4))
        setenv("DVM_SYNTHETIC", "pack:2 core:4 pu:2", 0), unsetenv("DVM_WORKERS");
    if (dice_one_in(dice, 3))
        setenv("DVM_SPIN", "0", 0);
    if (dice_one_in(dice, 4))
        setenv("DVM_WINDOW", "20", 0);
    if (dice_one_in(dice, 3))
        setenv("DVM_BIND", "0", 0);
    if (dice_one_in(dice, 5))
        setenv("DVM_TRACE", "/dev/null", 0);
    if (dice_one_in(dice, 5))
        setenv("DVM_DOT", "/dev/null", 0);
}

int main(int argc, char **argv)
{
    static const int crowd[] = {0, 1, 2, 4, 8, 16, 64}, appetites[] = {2, 10, 50, 300};
    if (argc < 2) {
        fprintf(stderr, "usage: life SEED [threads=N] [rounds=N] [calls=N] [abrupt=0|1] [forks=N] [hunger=N]\n");
        return 2;
    }
    life.seed = strtoull(argv[1], NULL, 10);
    dice_t dice = {life.seed};
    life.threads = setting("threads", argc, argv, crowd[dice_below(&dice, 7)]);
    life.rounds = setting("rounds", argc, argv, 1 + dice_below(&dice, 3));
    life.calls = setting("calls", argc, argv, 20 + dice_below(&dice, life.threads > 8 ? 60 : 300));
    life.abrupt = setting("abrupt", argc, argv, dice_one_in(&dice, 3));
    life.forks = setting("forks", argc, argv, dice_one_in(&dice, 3) ? 6 : 0);
    if (life.threads < 0 || life.threads > 64 || life.rounds < 1 || life.calls < 1) {
        fprintf(stderr, "life: 0 to 64 threads, at least 1 round and 1 call\n");
        return 2;
    }
    life.hunger = setting("hunger", argc, argv, dice_one_in(&dice, 2) ? appetites[dice_below(&dice, 4)] : 0);
    environment(&dice);
    pthread_key_create(&last_words, destructor);
    for (int k = 0; k < life.rounds; k++)
        live_round(&dice);
    pthread_key_delete(last_words);
    return 0;
}
