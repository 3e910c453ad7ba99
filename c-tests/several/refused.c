/* A sequential program whose regions ask for all processes, and are all refused: process 0 alone runs main, and them.
 *
 * also as: 4
 * only by dvmrun: DVM_PROCESS */
#include <dvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static double a[1000];

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

/* Each iteration needs the one before. */
static void in_sequence(void)
{
#pragma dvm region across
    for (int i = 1; i < 1000; i++)
        a[i] = a[i - 1] + i;
}

/* No loop with a counter. */
static int halved(int n)
{
    int steps = 0;
#pragma dvm region across keep(a)
    while (n > 1) {
        n /= 2;
        steps++;
    }
    return steps;
}

int main(void)
{
    const char *process = getenv("DVM_PROCESS");
    CHECK(process == NULL || strcmp(process, "0") == 0);
    in_sequence();
    CHECK(a[999] == 499500);
    CHECK(halved(1024) == 10);
    uint64_t me, count;
    if (dvm_process(&me, &count) == DVM_SUCCESS)
        CHECK(me == 0);
    puts(failures ? "refused: failed" : "refused: ok");
    return failures != 0;
}
