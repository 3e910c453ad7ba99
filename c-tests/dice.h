/* Random numbers that a seed determines: splitmix64, as in testkit/src/random.rs. */
#ifndef DICE_H
#define DICE_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} dice_t;

static inline uint64_t dice_next(dice_t *dice)
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. bound - 1. */
static inline int dice_below(dice_t *dice, int bound)
{
    return (int)(dice_next(dice) % (uint64_t)bound);
}

static inline int dice_one_in(dice_t *dice, int times)
{
    return dice_below(dice, times) == 0;
}

#endif
