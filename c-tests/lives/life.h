/* What the parts of a life share: the dice, the slots and the judgement of codes. */
#ifndef LIFE_H
#define LIFE_H

#include <dvm.h>

#include <stdatomic.h>
#include <stdint.h>

/* ----- dice: one stream per thread or callback, all from the life's seed ----- */

typedef struct {
    uint64_t state;
} dice_t;

uint64_t dice_next(dice_t *dice);
int dice_below(dice_t *dice, int bound);
int dice_one_in(dice_t *dice, int times);

/* ----- the life ----- */

typedef struct {
    uint64_t seed;
    int threads;    /* threads that make random calls beside main, 0 to 64 */
    int rounds;     /* dvm_init .. dvm_finalize */
    int calls;      /* random calls of each thread and round */
    int abrupt;     /* finalize while the other threads go on; data may be left unpublished */
    int forks;      /* one call in so many forks a child that makes calls; 0: none */
    int hunger;     /* one allocation in so many fails, and now and then all of them for a while; 0: none */
} life_t;

extern life_t life;
extern atomic_long budget;            /* tasks that tasks and callbacks may still schedule */
extern atomic_long registered, freed; /* data with a free callback */
extern atomic_int over;               /* dvm_finalize has been called */

/* Prints and ends the process with 1: the life has shown a defect. */
void defect(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The code is one that the header names for this call in this life. `allowed` has a bit per code. */
#define CODE(code) (1u << (code))
void judge(const char *call, dvm_retcode_t code, unsigned allowed);

/* Allocations may fail from now on; not any more. */
void hungry(void);
void sated(void);
/* Not all calls of the calling thread for memory fail from now on. */
void let_eat(void);
/* All calls for memory fail for a moment, or the next ones of this thread do. Nothing in a life without hunger. */
void starve(dice_t *dice);

/* ----- slots: data that anybody may pick ----- */

enum { SLOTS = 256 };

typedef struct {
    dvm_data_id_t id;
    int sure;     /* will be published or poisoned, whatever happens: may be waited for */
    int by_hand;  /* a promise that the janitor publishes */
} slot_t;

void slots_clear(void);
void slot_put(dice_t *dice, const slot_t *slot);
/* A random slot; 0 when it is empty. With `sure`, only one whose datum will be published. */
int slot_pick(dice_t *dice, int sure, slot_t *slot);

/* Takes a promise that is to be published by hand; 0 when there is none. */
int slot_by_hand(slot_t *slot);

/* What the bytes of a datum say: derived from its id, so that readers can check them. */
uint64_t pattern(const uint64_t *id);

/* ----- calls ----- */

enum { IN_MAIN, OUTSIDE, IN_TASK, IN_FREE };

/* True in threads of ours beside which libdvm is finalized: the bytes that a get has given them are freed then, so they touch none. */
extern _Thread_local int outlived;

void processings_register(void);
/* One random call. `where` says what the caller is. */
void random_call(dice_t *dice, int where);
/* Publishes the promises by hand that nobody else publishes. */
void janitor(void);
/* What a forked child does: calls that must all answer, and end. Does not return. */
void orphan(dice_t *dice) __attribute__((noreturn));
void random_fork(dice_t *dice);

#endif
