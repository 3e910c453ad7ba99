/* Kept arrays that are freed while their values are elsewhere: malloc hands their memory out again, to main and to
 * libraries, also in the middle of a region's call.
 *
 * environment: DVM_TUNE=0 DVM_TILE=8x64
 * also as: 4
 */
#include <dvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below malloc's limit for memory of its own: it lies in the heap. */
enum { ROWS = 64, COLUMNS = 200, ARRAYS = 12, ROUNDS = 40 };

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
    if (!at)
        exit(1);
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
        if (round % 8 == 0) { /* main looks at a value; else all are freed where they are */
            int i = 1 + round % (ROWS - 2), j = 1 + round % (COLUMNS - 2);
            double (*from)[COLUMNS] = filled((uint64_t)(round * ARRAYS));
            double expected = from[i - 1][j] + 0.5 * from[i][j - 1] - from[i + 1][j];
            failures += memcmp(&expected, &arrays[1][i][j], sizeof expected) != 0;
            free(from);
        }
        for (int at = round % 2 ? 0 : ARRAYS - 1; at >= 0 && at < ARRAYS; at += round % 2 ? 1 : -1)
            free(arrays[at]);
    }
    puts(failures ? "kept_freed: failed" : "kept_freed: ok");
    return failures != 0;
}
