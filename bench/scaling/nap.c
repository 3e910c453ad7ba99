/* Takes five milliseconds and more for each value, without a processor: processes that wait so share few processors without
 * loss. A process naps once at a time, as if it had one processor: the thread that enters a region and the worker both run
 * tiles. At the end each process tells how long its naps have taken, as busy machines wake sleepers late. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

double nap(double value);

static double napped;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double nap(double value)
{
    const struct timespec length = {0, 5000000};
    static pthread_mutex_t processor = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&processor);
    const double begin = now();
    nanosleep(&length, NULL);
    napped += now() - begin;
    pthread_mutex_unlock(&processor);
    return value;
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "napped %.6f\n", napped);
}
