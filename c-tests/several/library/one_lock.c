/* A malloc with one lock, which writes into what is freed, and into the middle of what it gives out. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *memalign(size_t alignment, size_t bytes);

/* A block begins with its class, just before its bytes; freed ones of a class are in a list. */
enum { CLASSES = 48, LEAST = 5 };
static const size_t pool_bytes = (size_t)1 << 33;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *freed[CLASSES];
static char *pool;
static size_t used;

static void *take(size_t alignment, size_t bytes)
{
    unsigned class = LEAST;
    while (((size_t)1 << class) < bytes)
        class++;
    pthread_mutex_lock(&lock);
    if (!pool) {
        void *made = mmap(NULL, pool_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED)
            _Exit(9);
        pool = made;
    }
    char *block = alignment <= 16 ? freed[class] : NULL;
    if (block) {
        memcpy(&freed[class], block, sizeof(void *));
    } else {
        size_t at = (used + 16 + alignment - 1) / alignment * alignment;
        used = at + ((size_t)1 << class);
        if (used > pool_bytes)
            _Exit(9);
        block = pool + at;
        memcpy(block - 16, &class, sizeof class);
    }
    memcpy(block + ((size_t)1 << class) / 2, &class, sizeof class);
    pthread_mutex_unlock(&lock);
    return block;
}

static unsigned class_of(void *block)
{
    unsigned class;
    memcpy(&class, (char *)block - 16, sizeof class);
    return class;
}

void *malloc(size_t bytes)
{
    return take(16, bytes);
}

void free(void *block)
{
    if (!block)
        return;
    pthread_mutex_lock(&lock);
    unsigned class = class_of(block);
    memcpy(block, &freed[class], sizeof(void *));
    freed[class] = block;
    pthread_mutex_unlock(&lock);
}

void *calloc(size_t count, size_t bytes)
{
    void *block = bytes && count > SIZE_MAX / bytes ? NULL : malloc(count * bytes);
    return block ? memset(block, 0, count * bytes) : NULL;
}

void *realloc(void *old, size_t bytes)
{
    if (!old)
        return malloc(bytes);
    size_t have = (size_t)1 << class_of(old);
    if (bytes <= have)
        return old;
    void *block = malloc(bytes);
    memcpy(block, old, have);
    free(old);
    return block;
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = take(alignment < 16 ? 16 : alignment, bytes);
    return 0;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return take(alignment < 16 ? 16 : alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}
