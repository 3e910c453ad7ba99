/* What the machine itself costs, in ns: an uncontended atomic addition, a cache line handed from one core to another and back
 * (half of it), and waking a sleeping thread. Usage: probe. Prints one line of JSON. */
#define _GNU_SOURCE
#include "work.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 20000, WAKES = 200, MOST_CPUS = 64 };

static struct {
    uint32_t word;
    char padding[60];
} line __attribute__((aligned(64)));

static double woken;

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *answer(void *argument)
{
    pin(*(int *)argument);
    for (uint32_t i = 1; i < 2 * ROUNDS; i += 2) {
        while (__atomic_load_n(&line.word, __ATOMIC_ACQUIRE) != i)
            ;
        __atomic_store_n(&line.word, i + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static double hand_over(int from, int to)
{
    pthread_t thread;
    line.word = 0;
    pin(from);
    if (pthread_create(&thread, NULL, answer, &to) != 0)
        bench_fail("pthread_create", "no thread");
    double began = 0;
    for (uint32_t i = 0; i < 2 * ROUNDS; i += 2) {
        if (i == ROUNDS / 2)
            began = bench_now(); /* the first quarter is a warm-up */
        __atomic_store_n(&line.word, i + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&line.word, __ATOMIC_ACQUIRE) != i + 2)
            ;
    }
    double seconds = bench_now() - began;
    pthread_join(thread, NULL);
    return 1e9 * seconds / (2 * ROUNDS - ROUNDS / 2);
}

static void *sleeper(void *argument)
{
    pin(*(int *)argument);
    for (int i = 0; i < WAKES; i++) {
        while (__atomic_load_n(&line.word, __ATOMIC_ACQUIRE) == 0)
            syscall(SYS_futex, &line.word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        woken = bench_now();
        __atomic_store_n(&line.word, 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* From the call that wakes to the first thing that the woken thread does. */
static double wake(int from, int to)
{
    pthread_t thread;
    double total = 0;
    line.word = 0;
    pin(from);
    if (pthread_create(&thread, NULL, sleeper, &to) != 0)
        bench_fail("pthread_create", "no thread");
    for (int i = 0; i < WAKES; i++) {
        usleep(200); /* so that it sleeps */
        double called = bench_now();
        __atomic_store_n(&line.word, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &line.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        while (__atomic_load_n(&line.word, __ATOMIC_ACQUIRE) != 0)
            sched_yield();
        total += woken - called;
    }
    pthread_join(thread, NULL);
    return 1e9 * total / WAKES;
}

static double atomic(void)
{
    double began = bench_now();
    for (int i = 0; i < 1000000; i++)
        __atomic_fetch_add(&line.word, 1, __ATOMIC_SEQ_CST);
    return 1e9 * (bench_now() - began) / 1000000;
}

int main(void)
{
    cpu_set_t allowed;
    int cpus[MOST_CPUS], count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        bench_fail("sched_getaffinity", "failed");
    for (int cpu = 0; cpu < CPU_SETSIZE && count < MOST_CPUS; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[count++] = cpu;

    printf("{\"atomic\":%.2f", atomic());
    if (count > 1) {
        double least = 1e9, most = 0;
        for (int i = 1; i < count; i++) { /* from the first core to each other one */
            double ns = hand_over(cpus[0], cpus[i]);
            least = ns < least ? ns : least;
            most = ns > most ? ns : most;
        }
        printf(",\"hand_over_least\":%.1f,\"hand_over_most\":%.1f,\"wake\":%.0f", least, most, wake(cpus[0], cpus[1]));
    }
    puts("}");
    return 0;
}
