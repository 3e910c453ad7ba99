/* A program whose malloc has one lock, and writes into what is freed and what it gives out: pages of kept arrays are opened
 * under that lock, which threads of libdvm must not need. Nor may libdvm ask for memory in the middle of a call: malloc may hand
 * it what was a kept array, whose pages nobody can open then. The C library's malloc does the same now and then.
 *
 * library: one_lock.c
 * environment: DVM_TUNE=0 DVM_TILE=16x64
 * also as: 4
 */
#include <dvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array has as many bytes as what the C library takes to read a directory. */
enum { ROWS = 64, COLUMNS = 128, ARRAYS = 8, ROUNDS = 30 };

static void smooth(double (*restrict to)[COLUMNS], double (*restrict from)[COLUMNS])
{
#pragma dvm region across keep(to, from)
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            to[i][j] = from[i - 1][j] + 0.5 * from[i][j - 1] - from[i + 1][j];
}

static double (*filled(uint64_t seed))[COLUMNS]
{
    double (*at)[COLUMNS] = malloc(sizeof(double[ROWS][COLUMNS]));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            at[i][j] = (double)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 40);
    return at;
}

int main(void)
{
    int failures = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double (*arrays[ARRAYS])[COLUMNS];
        for (int k = 0; k < ARRAYS; k++)
            arrays[k] = filled((uint64_t)(round * ARRAYS + k));
        for (int k = 1; k < ARRAYS; k++)
            smooth(arrays[k], arrays[k - 1]);
        double (*from)[COLUMNS] = filled((uint64_t)(round * ARRAYS));
        const int i = 1 + round % (ROWS - 2), j = 1 + round % (COLUMNS - 2);
        const double expected = from[i - 1][j] + 0.5 * from[i][j - 1] - from[i + 1][j];
        failures += memcmp(&expected, &arrays[1][i][j], sizeof expected) != 0;
        free(from);
        /* Fewer new ones than were freed. */
        for (int k = 0; k < ARRAYS - 1; k++)
            free(arrays[(k + round) % ARRAYS]);
        double (*to)[COLUMNS] = filled(1), (*again)[COLUMNS] = arrays[(ARRAYS - 1 + round) % ARRAYS];
        smooth(to, again);
        free(to);
        free(again);
    }
    puts(failures ? "own_malloc: failed" : "own_malloc: ok");
    return failures != 0;
}
