/* Shared by the parts of a life: the slots and the check of codes. Each thread and callback has dice of its own, all from the
 * life's seed. */
#ifndef LIFE_H
#define LIFE_H

#include "../dice.h"

#include <dvm.h>

#include <stdatomic.h>
#include <stdint.h>

/* ----- the life ----- */

typedef struct {
    uint64_t seed;
    int threads;    /* threads that make random calls in addition to main, 0 to 64 */
    int rounds;     /* dvm_init .. dvm_finalize */
    int calls;      /* random calls of each thread and round */
    int abrupt;     /* finalize while the other threads go on; data may be left unpublished */
    int forks;      /* one call in this many forks a child that makes calls; 0: none */
    int hunger;     /* one allocation in this many fails, and sometimes all of them for a while; 0: none */
} life_t;

extern life_t life;
extern atomic_long budget;            /* tasks that tasks and callbacks may still schedule */
extern atomic_long registered, freed; /* data with a free callback */
extern atomic_int over;               /* dvm_finalize has been called */

/* Reports a defect and exits with 1. */
void defect(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Checks that the header names the code for this call in this life. `allowed` has a bit per code. */
#define CODE(code) (1u << (code))
void judge(const char *call, dvm_retcode_t code, unsigned allowed);

/* Start and end of failing allocations. */
void hungry(void);
void sated(void);
/* From now on, some allocations of the calling thread succeed. */
void let_eat(void);
/* Makes all allocations fail for a moment, or the next ones of this thread. Does nothing in a life without hunger. */
void starve(dice_t *dice);

/* ----- slots: data that any thread may pick ----- */

enum { SLOTS = 256 };

typedef struct {
    dvm_data_id_t id;
    int sure;     /* will be published or poisoned in any case, so a thread may wait for it */
    int by_hand;  /* a promise that the janitor publishes */
} slot_t;

void slots_clear(void);
void slot_put(dice_t *dice, const slot_t *slot);
/* A random slot; 0 if it is empty. With `sure`, only one whose datum will be published. */
int slot_pick(dice_t *dice, int sure, slot_t *slot);

/* Takes a promise to fulfil by hand; 0 if there is none. */
int slot_by_hand(slot_t *slot);

/* The content of a datum: derived from its id, so that readers can check it. */
uint64_t pattern(const uint64_t *id);

/* ----- calls ----- */

enum { IN_MAIN, OUTSIDE, IN_TASK, IN_FREE };

/* True in threads that libdvm's finalize may overtake: it frees bytes returned by get, so these threads touch none. */
extern _Thread_local int outlived;

void processings_register(void);
/* One random call. `where` is the kind of caller. */
void random_call(dice_t *dice, int where);
/* Fulfils the promises that no task publishes. */
void janitor(void);
/* Runs in a forked child: makes calls that must all return, and exits. Does not return. */
void orphan(dice_t *dice) __attribute__((noreturn));
void random_fork(dice_t *dice);

#endif
