/* An allocator that fails where it is told to: link failing.c, which replaces the C library's. */
#ifndef FAILING_H
#define FAILING_H

#include <stdatomic.h>

extern __thread long countdown;        /* > 0: calls of this thread until one fails */
extern __thread int for_good;          /* all calls after that one fail, too */
extern __thread unsigned long smallest; /* only calls for so many bytes, and more, are counted */
extern __thread long failed;           /* calls of this thread that have failed */
extern __thread long spared;           /* calls that were to fail, and that `spare` has let through */
extern int (*spare)(void);             /* true for a caller that does not survive it; may be NULL */
extern atomic_int none_at_all;         /* all calls of all threads fail */
extern atomic_int one_in;              /* > 0: one call in so many fails, on any thread */

#endif
