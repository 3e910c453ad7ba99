/* An allocator that fails on request: link failing.c, which replaces the C library's. */
#ifndef FAILING_H
#define FAILING_H

#include <stdatomic.h>

extern __thread long countdown;        /* > 0: calls of this thread until one fails */
extern __thread int for_good;          /* all calls after that one fail, too */
extern __thread unsigned long smallest; /* only calls for at least this many bytes are counted */
extern __thread long failed;           /* calls of this thread that have failed */
extern __thread long spared;           /* calls that should fail, but that `spare` let succeed */
extern int (*spare)(void);             /* true for a caller that does not survive a failure; may be NULL */
extern atomic_int none_at_all;         /* all calls of all threads fail */
extern atomic_int one_in;              /* > 0: one in this many calls fails, on any thread */

#endif
