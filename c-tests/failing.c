/* A front of the C library's or AddressSanitizer's allocator that makes calls fail. */
#define _GNU_SOURCE
#include "dice.h"
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define REAL(name) __interceptor_##name
extern void *__interceptor_memalign(size_t alignment, size_t size);
#else
#define REAL(name) __libc_##name
extern void *__libc_memalign(size_t alignment, size_t size);
#endif
extern void *REAL(malloc)(size_t size);
extern void *REAL(calloc)(size_t count, size_t size);
extern void *REAL(realloc)(void *old, size_t size);

__thread long countdown, failed, spared;
int (*spare)(void);
__thread int for_good;
__thread unsigned long smallest;
atomic_int none_at_all, one_in;

static __thread int at_its_start; /* AddressSanitizer ends the process when a thread finds no memory to learn its stack */

#if defined(__SANITIZE_ADDRESS__)
static int (*learn_stack)(pthread_t thread, pthread_attr_t *attributes);

__attribute__((constructor)) static void find_the_real_one(void)
{
    *(void **)&learn_stack = dlsym(RTLD_NEXT, "pthread_getattr_np");
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    if (!learn_stack) /* before constructors */
        find_the_real_one();
    at_its_start = 1;
    int code = learn_stack(thread, attributes);
    at_its_start = 0;
    return code;
}
#endif

/* Never inlined: AddressSanitizer would guard its variable in `refused`, which runs before AddressSanitizer is ready. */
__attribute__((noinline)) static int by_chance(int times)
{
    static atomic_ulong requests;
    dice_t dice = {atomic_fetch_add(&requests, 1)};
    return dice_one_in(&dice, times);
}

static int refused(size_t size)
{
    int times = atomic_load_explicit(&one_in, memory_order_relaxed);
    if (at_its_start)
        return 0;
    if (atomic_load_explicit(&none_at_all, memory_order_relaxed) || (times > 0 && by_chance(times))) {
        failed++;
    } else {
        if (countdown == 0 || size < smallest || --countdown > 0)
            return 0;
        if (spare && spare()) {
            countdown = 1;
            spared++;
            return 0;
        }
        countdown = for_good;
        failed++;
    }
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return refused(size) ? NULL : REAL(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    return refused(count * size) ? NULL : REAL(calloc)(count, size);
}

void *realloc(void *old, size_t size)
{
    return refused(size) ? NULL : REAL(realloc)(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return refused(size) ? NULL : REAL(memalign)(alignment, size);
}

int posix_memalign(void **at, size_t alignment, size_t size)
{
    int before = errno;
    void *memory = refused(size) ? NULL : REAL(memalign)(alignment, size);
    errno = before;
    if (!memory)
        return ENOMEM;
    *at = memory;
    return 0;
}
