/* What the hand-written programs share: threads on cores, and a ring between one writer and one reader. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#define _GNU_SOURCE
#include "work.h"

#include <pthread.h>
#include <sched.h>

typedef void (*floor_call_t)(void *);

/* What the least task is: a function and its argument. */
typedef struct {
    floor_call_t call;
    void *argument;
} floor_task_t;

/* Waiting: spin, and let others have the core when that takes long (cores may be shared with other programs). */
static inline void floor_relax(unsigned *spins)
{
    if (++*spins < 2000)
        __builtin_ia32_pause();
    else
        sched_yield();
}

enum { RING_SLOTS = 4096, RING_BATCH = 32 };

typedef struct {
    floor_task_t slots[RING_SLOTS];
    uint64_t written __attribute__((aligned(64))); /* published to the reader, in batches */
    uint64_t ours, room;                           /* the writer's own: written so far; up to where there is room */
    uint64_t read __attribute__((aligned(64)));    /* published to the writer, in batches */
} floor_ring_t;

static inline void ring_flush(floor_ring_t *ring) { __atomic_store_n(&ring->written, ring->ours, __ATOMIC_RELEASE); }

static inline void ring_push(floor_ring_t *ring, floor_call_t call, void *argument)
{
    for (unsigned spins = 0; ring->ours == ring->room;) {
        ring->room = __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) + RING_SLOTS;
        if (ring->ours == ring->room) {
            ring_flush(ring);
            floor_relax(&spins);
        }
    }
    ring->slots[ring->ours % RING_SLOTS] = (floor_task_t){call, argument};
    if (++ring->ours % RING_BATCH == 0)
        ring_flush(ring);
}

/* Runs `tasks` tasks of the ring. */
static inline void ring_run(floor_ring_t *ring, size_t tasks)
{
    uint64_t at = ring->read, end = at + tasks;
    unsigned spins = 0;
    while (at < end) {
        uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
        if (at == written) {
            floor_relax(&spins);
            continue;
        }
        for (spins = 0; at < written; at++)
            ring->slots[at % RING_SLOTS].call(ring->slots[at % RING_SLOTS].argument);
        __atomic_store_n(&ring->read, at, __ATOMIC_RELEASE);
    }
}

/* Runs body(0) .. body(workers - 1) on that many threads; 0 is the caller's. */
typedef struct {
    pthread_t thread;
    int worker;
    void (*body)(int worker);
} floor_thread_t;

static void *floor_enter(void *argument)
{
    floor_thread_t *thread = argument;
    thread->body(thread->worker);
    return NULL;
}

static inline void floor_start(floor_thread_t *threads, int workers, void (*body)(int))
{
    for (int i = 1; i < workers; i++) {
        threads[i] = (floor_thread_t){.worker = i, .body = body};
        if (pthread_create(&threads[i].thread, NULL, floor_enter, &threads[i]) != 0)
            bench_fail("pthread_create", "no thread");
    }
}

static inline void floor_join(floor_thread_t *threads, int workers)
{
    for (int i = 1; i < workers; i++)
        pthread_join(threads[i].thread, NULL);
}

#endif
