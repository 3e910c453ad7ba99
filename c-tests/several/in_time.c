/* Data that another process makes, and that a thread asks for just when it hears that they exist: it gets their bytes. */
#include "several.h"

#include <time.h>

enum { ROUNDS = 4000, BYTES = 20000 };

static dvm_processing_id_t maker;

static int make(void *context, dvm_data_id_t *ids, int count)
{
    (void)context, (void)count;
    uint64_t number = input_number(ids[0]);
    unsigned char *at = bytes_of(ids[1], BYTES);
    if (at)
        memset(at, (int)(number % 251), BYTES);
    return at == NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spin(double seconds)
{
    for (double begin = seconds_now(); seconds_now() < begin + seconds;)
        ;
}

static void drive(void)
{
    several_register(make, NULL, 2, 1, "maker", maker);
    learn_ranks();
    double usual = 1e-4; /* from the schedule to the bytes */
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dvm_data_id_t ids[2];
        new_number(ids[0], (int64_t)round);
        promise_of(BYTES, ids[1]);
        double begin = seconds_now();
        CHECK_OK(on_process(1 + round % 3, maker, ids, 2));
        spin(usual * (double)(mixed(3, round) % 1000) / 1000);
        unsigned char *at = bytes_of(ids[1], BYTES);
        double taken = seconds_now() - begin;
        if (taken < 2 * usual)
            usual += (taken - usual) / 32;
        CHECK(at && at[0] == round % 251 && at[BYTES - 1] == round % 251);
        CHECK_OK(dvm_data_put(ids[1]));
        CHECK_OK(dvm_data_relax(ids[1]));
    }
}

int main(void)
{
    return several_main("in_time", drive);
}
