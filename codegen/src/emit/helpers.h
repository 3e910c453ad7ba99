#ifndef DVM__HELPERS
#define DVM__HELPERS
/* Nothing is included here, and every name begins with dvm__: macros, types and functions of the program may have any
   other name, also one that a header would give to something else. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-macros"
#define DVM__DIMENSIONS 16

#if defined(__clang__)
#define DVM__INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DVM__INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Blocks that stay in registers: DVM__BLOCK_ROWS rows of DVM__BLOCK_COLUMNS vectors. Where floating point keeps more digits than its
   type has, vectors would round differently. */
#if defined(__AVX512F__)
#define DVM__VECTOR_BYTES 64
#define DVM__BLOCK_ROWS 8
#else
#define DVM__BLOCK_ROWS 4
#if defined(__AVX__)
#define DVM__VECTOR_BYTES 32
#else
#define DVM__VECTOR_BYTES 16
#endif
#endif
#define DVM__BLOCK_COLUMNS 3
#define DVM__BLOCK_DEPTH 128 /* steps for which elements are copied */
#define DVM__VECTOR(type) \
  __attribute__((__vector_size__(DVM__VECTOR_BYTES), __aligned__(__alignof__(type)), __may_alias__))
#define DVM__ALIGNED __attribute__((__aligned__(DVM__VECTOR_BYTES)))
#define DVM__LANES(type) (DVM__VECTOR_BYTES / (dvm__int64)sizeof(type))
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
#define DVM__BLOCKS 1
#else
#define DVM__BLOCKS 0
#endif
#if defined(__clang__)
#define DVM__UNROLL _Pragma("clang loop unroll(full)")
#else
#define DVM__UNROLL _Pragma("GCC unroll 16")
#endif
/* A loop over the values of reductions (`reassociate`), which stay in registers. */
#if defined(__clang__)
#define DVM__PARTS _Pragma("clang loop unroll(full)")
#else
#define DVM__PARTS _Pragma("GCC unroll 32")
#endif
/* All places of a block. */
#define DVM__PLACES(row, rows, column, columns) \
  DVM__UNROLL for (row = 0; row < rows; ++row) DVM__UNROLL for (column = 0; column < columns; ++column)
/* A vector of ones: a number times one is the number in all parts of a vector. */
#define DVM__ONES(vector) ((vector){0} + 1)
/* A vector of elements that lie apart; `counter` declares what the element's text names. */
#define DVM__GATHER(vector, gathered, lane, lanes, counter, element) \
  __extension__({ vector gathered; int lane; \
    DVM__UNROLL for (lane = 0; lane < lanes; ++lane) { counter gathered[lane] = element; } gathered; })

/* Around generated code: warnings that a program turns on (or into errors) are about the program's own text. */
#if defined(__clang__)
#define DVM__QUIET _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Weverything\"")
#else
#define DVM__QUIET \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
  _Pragma("GCC diagnostic ignored \"-Wconversion\"") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") \
  _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"") _Pragma("GCC diagnostic ignored \"-Wsign-compare\"") \
  _Pragma("GCC diagnostic ignored \"-Wfloat-equal\"") _Pragma("GCC diagnostic ignored \"-Wdouble-promotion\"") \
  _Pragma("GCC diagnostic ignored \"-Wdeclaration-after-statement\"") _Pragma("GCC diagnostic ignored \"-Wvla\"") \
  _Pragma("GCC diagnostic ignored \"-Wcast-qual\"") _Pragma("GCC diagnostic ignored \"-Wunused\"") \
  _Pragma("GCC diagnostic ignored \"-Wtype-limits\"") _Pragma("GCC diagnostic ignored \"-Wlong-long\"") \
  _Pragma("GCC diagnostic ignored \"-Wpedantic\"") _Pragma("GCC diagnostic ignored \"-Wc++-compat\"") \
  _Pragma("GCC diagnostic ignored \"-Winline\"") _Pragma("GCC diagnostic ignored \"-Wpadded\"") \
  _Pragma("GCC diagnostic ignored \"-Wtraditional-conversion\"") _Pragma("GCC diagnostic ignored \"-Wstrict-overflow\"") \
  _Pragma("GCC diagnostic ignored \"-Wunused-macros\"")
#endif
#define DVM__LOUD _Pragma("GCC diagnostic pop")

DVM__QUIET
/* The layouts below are libdvm's, and so are the functions, whatever pragmas hold here. */
#pragma pack(push)
#pragma pack()
#pragma GCC visibility push(default)
typedef __INT64_TYPE__ dvm__int64;
typedef __UINTPTR_TYPE__ dvm__address;

#ifndef DVM__RUN_TILE
#define DVM__RUN_TILE dvm__run_tile
#endif

/* How a thread rounds, and whether tiny numbers count as zero: the words that control floating point. */
struct dvm__arithmetic {
  unsigned long dvm__control, dvm__vectors;
};

/* With DVM_CHECK=1: bytes of an array that a region writes, with copies from before the region and after its tiles. */
struct dvm__written {
  const char *dvm__name;
  int dvm__kind; /* of an element: see DVM__KIND */
  __SIZE_TYPE__ dvm__element;
  int dvm__rank;
  dvm__int64 dvm__rows[16]; /* lengths of the dimensions after the first */
  dvm__address dvm__base, dvm__begin, dvm__end;
  char *dvm__before, *dvm__after;
  struct dvm__written *dvm__next;
};
#define DVM__IS(type, other) __builtin_types_compatible_p(type, other)
#define DVM__KIND(type) \
  (DVM__IS(type, double) ? 1 : DVM__IS(type, float) ? 2 : DVM__IS(type, long double) ? 3 : \
   DVM__IS(type, int) || DVM__IS(type, long) || DVM__IS(type, long long) || DVM__IS(type, short) || \
   DVM__IS(type, signed char) || DVM__IS(type, char) ? 4 : \
   DVM__IS(type, unsigned) || DVM__IS(type, unsigned long) || DVM__IS(type, unsigned long long) || \
   DVM__IS(type, unsigned short) || DVM__IS(type, unsigned char) ? 5 : 0)

/* What libdvm learns of a region or of one of its phases, by the power of two of the work: dvm_region_t of dvm.h. */
struct dvm__record {
  __SIZE_TYPE__ dvm__bytes;
  const char *dvm__name;
  dvm__int64 dvm__line, dvm__phase;
  __UINT64_TYPE__ dvm__number;
  unsigned dvm__unasked[64]; /* entries that run the original loops without asking */
};
#define DVM__RECORD(dvm__name, dvm__line, dvm__phase) \
  {sizeof(struct dvm__record), dvm__name, dvm__line, dvm__phase, 0, {0}}

/* An entry: dvm_region_entry_t of dvm.h. */
struct dvm__entry {
  dvm__int64 dvm__way; /* 0: the original loops, or one tile */
  dvm__int64 dvm__work;
  __UINT64_TYPE__ dvm__begun; /* 0: nobody wants its time */
};

/* What every region's context begins with: the tiles of the graph that runs. */
struct dvm__tiles {
  dvm__int64 dvm__fixed[DVM__DIMENSIONS]; /* sizes that the pragma gives; 0: chosen at run time */
  dvm__int64 dvm__size[DVM__DIMENSIONS];  /* sizes of a tile */
  int dvm__serial;                        /* nonzero: the tiles run here, one after another; 2: backwards, if none waits */
  struct dvm__written *dvm__copies;       /* what the region writes, while it is checked */
  dvm__int64 dvm__first[DVM__DIMENSIONS]; /* least coordinates of the band: where tile 0 begins */
  int (*dvm__run)(void *, const dvm__int64 *);
  void (*dvm__bounds)(void *, dvm__int64, const dvm__int64 *, dvm__int64 *); /* of a coordinate; 0: the box */
  int (*dvm__exists)(void *, const dvm__int64 *); /* whether a tile has anything to run; 0: all have */
  const dvm__int64 *dvm__multiples; /* sizes that are chosen are multiples of these; 0: any sizes */
  struct dvm__arithmetic dvm__arithmetic; /* of the thread that entered the region */
  struct dvm__entry dvm__entry;
  /* Nonzero: the calling thread runs the tiles, without libdvm. When it began, less the time that other such regions of
     the file had; points that are left before the next look at the clock, and all points before it. */
  int dvm__alone;
  dvm__int64 dvm__begun, dvm__until, dvm__points;
  /* While the region runs on several processes: the call, and what takes the tiles of a phase for it. */
  void *dvm__across;
  void (*dvm__take)(struct dvm__record *, int, const dvm__int64 *, const int *, dvm__int64 (*)(void *, const dvm__int64 *),
      struct dvm__tiles *, void *);
  int dvm__failed, dvm__phase, dvm__hosts_count;
  const dvm__int64 *dvm__hosts;
};

/* dvm_graph_t of dvm.h, and the functions that are called, under names of their own. */
struct dvm__graph {
  __SIZE_TYPE__ dvm__bytes;
  const char *dvm__name;
  int dvm__dimension;
  const dvm__int64 *dvm__lower;
  const dvm__int64 *dvm__upper;
  const int *dvm__carried;
  int (*dvm__run)(void *, const dvm__int64 *);
  dvm__int64 (*dvm__predecessors)(void *, const dvm__int64 *);
  void (*dvm__successors)(void *, const dvm__int64 *, void (*)(void *, const dvm__int64 *), void *);
  void *dvm__context;
  void (*dvm__bounds)(void *, dvm__int64, const dvm__int64 *, dvm__int64 *);
  int (*dvm__exists)(void *, const dvm__int64 *);
};
extern int dvm__graph_start(void) __asm__("dvm_graph_start");
extern int dvm__region_enter(struct dvm__record *, dvm__int64, struct dvm__entry *) __asm__("dvm_region_enter");
extern int dvm__region_waits(dvm__int64, int *) __asm__("dvm_region_waits");
extern int dvm__region_leave(struct dvm__record *, const struct dvm__entry *) __asm__("dvm_region_leave");
extern int dvm__region_run(const struct dvm__graph *) __asm__("dvm_region_run");
extern int dvm__region_sizes(struct dvm__record *, int, const dvm__int64 *, const int *,
    dvm__int64 (*)(void *, const dvm__int64 *), void *, dvm__int64 *) __asm__("dvm_region_sizes");
extern const char *dvm__last_error(void) __asm__("dvm_last_error");
extern int dvm__print(void *, const char *, ...) __asm__("fprintf");
extern void *dvm__errors __asm__("stderr");
extern char **dvm__environment __asm__("environ");
extern int dvm__clock(int, long *) __asm__("clock_gettime");
extern char *dvm__getenv(const char *) __asm__("getenv");
extern void *dvm__malloc(__SIZE_TYPE__) __asm__("malloc");
extern void dvm__free(void *) __asm__("free");
extern void *dvm__memcpy(void *, const void *, __SIZE_TYPE__) __asm__("memcpy");
extern int dvm__memcmp(const void *, const void *, __SIZE_TYPE__) __asm__("memcmp");
extern int dvm__getpid(void) __asm__("getpid");
extern long dvm__process_vm_readv(int, const void *, unsigned long, const void *, unsigned long, unsigned long)
    __asm__("process_vm_readv");
#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__)
/* Programs without them do not change the way of rounding. */
extern int dvm__fegetround(void) __asm__("fegetround") __attribute__((__weak__));
extern int dvm__fesetround(int) __asm__("fesetround") __attribute__((__weak__));
#endif
enum { dvm__success = 0, dvm__argument = 1, dvm__not_initialized = 2, dvm__in_task = 13 }; /* codes of dvm.h */

static __inline__ dvm__int64 dvm__min(dvm__int64 dvm__a, dvm__int64 dvm__b) { return dvm__a < dvm__b ? dvm__a : dvm__b; }
static __inline__ dvm__int64 dvm__max(dvm__int64 dvm__a, dvm__int64 dvm__b) { return dvm__a > dvm__b ? dvm__a : dvm__b; }
/* A product and a sum, or a number beyond every limit. */
static __inline__ dvm__int64 dvm__product(dvm__int64 dvm__a, dvm__int64 dvm__b)
{
  dvm__int64 dvm__both;
  return __builtin_mul_overflow(dvm__a, dvm__b, &dvm__both) ? __INT64_MAX__ : dvm__both;
}
static __inline__ dvm__int64 dvm__sum(dvm__int64 dvm__a, dvm__int64 dvm__b)
{
  dvm__int64 dvm__both;
  return __builtin_add_overflow(dvm__a, dvm__b, &dvm__both) ? __INT64_MAX__ : dvm__both;
}
/* Reductions: the number of iterations alone tells the blocks, at most 256. */
static __inline__ dvm__int64 dvm__block(dvm__int64 dvm__iterations, dvm__int64 dvm__least)
{
  return dvm__max((dvm__iterations + 255) / 256, dvm__least);
}
static __inline__ int dvm__blocks(dvm__int64 dvm__iterations, dvm__int64 dvm__least)
{
  return dvm__iterations > 0 ? (int)((dvm__iterations - 1) / dvm__block(dvm__iterations, dvm__least)) + 1 : 0;
}
/* How many values there are. */
static __inline__ dvm__int64 dvm__values(dvm__int64 dvm__least, dvm__int64 dvm__greatest)
{
  dvm__int64 dvm__steps;
  if (dvm__least > dvm__greatest)
    return 0;
  return __builtin_sub_overflow(dvm__greatest, dvm__least, &dvm__steps) ? __INT64_MAX__ : dvm__sum(dvm__steps, 1);
}
static __inline__ dvm__int64 dvm__floor_div(dvm__int64 dvm__a, dvm__int64 dvm__b)
{
  return dvm__a / dvm__b - (dvm__a % dvm__b != 0 && (dvm__a < 0) != (dvm__b < 0));
}

/* Narrows the ends of a coordinate: no tile T is in the graph for which first + T * size, or first - T * size, is negative. */
static __inline__ void dvm__from(dvm__int64 *dvm__ends, dvm__int64 dvm__first, dvm__int64 dvm__size)
{
  dvm__ends[0] = dvm__max(dvm__ends[0], -dvm__floor_div(dvm__first, dvm__size));
}
static __inline__ void dvm__up_to(dvm__int64 *dvm__ends, dvm__int64 dvm__first, dvm__int64 dvm__size)
{
  dvm__ends[1] = dvm__min(dvm__ends[1], dvm__floor_div(dvm__first, dvm__size));
}

/* The calling thread's arithmetic, without the flags of what has happened so far. */
static __inline__ struct dvm__arithmetic dvm__get_arithmetic(void)
{
  struct dvm__arithmetic dvm__now = {0};
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
  unsigned short dvm__control;
  unsigned dvm__vectors;
  __asm__ __volatile__("fnstcw %0\n\tstmxcsr %1" : "=m"(dvm__control), "=m"(dvm__vectors) : : "memory");
  dvm__now.dvm__control = dvm__control;
  dvm__now.dvm__vectors = dvm__vectors & ~0x3fu;
#elif defined(__i386__)
  unsigned short dvm__control;
  __asm__ __volatile__("fnstcw %0" : "=m"(dvm__control) : : "memory");
  dvm__now.dvm__control = dvm__control;
#elif defined(__aarch64__)
  __UINT64_TYPE__ dvm__control;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(dvm__control) : : "memory");
  dvm__now.dvm__control = dvm__control;
#else
  if (dvm__fegetround && dvm__fesetround)
    dvm__now.dvm__control = (unsigned long)dvm__fegetround();
#endif
  return dvm__now;
}

/* Gives the calling thread another arithmetic; its flags are cleared. */
static __inline__ void dvm__set_arithmetic(struct dvm__arithmetic dvm__new)
{
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
  const unsigned short dvm__control = (unsigned short)dvm__new.dvm__control;
  const unsigned dvm__vectors = (unsigned)dvm__new.dvm__vectors;
  __asm__ __volatile__("fnclex\n\tfldcw %0\n\tldmxcsr %1" : : "m"(dvm__control), "m"(dvm__vectors) : "memory");
#elif defined(__i386__)
  const unsigned short dvm__control = (unsigned short)dvm__new.dvm__control;
  __asm__ __volatile__("fnclex\n\tfldcw %0" : : "m"(dvm__control) : "memory");
#elif defined(__aarch64__)
  const __UINT64_TYPE__ dvm__control = dvm__new.dvm__control;
  __asm__ __volatile__("msr fpcr, %0\n\tisb" : : "r"(dvm__control) : "memory");
#else
  if (dvm__fegetround && dvm__fesetround)
    dvm__fesetround((int)dvm__new.dvm__control);
#endif
}

/* Whether floating point may end the program or call a handler, which then has to happen in the program's thread. */
static __inline__ int dvm__traps(struct dvm__arithmetic dvm__now)
{
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
  return (dvm__now.dvm__control & 0x3f) != 0x3f || (dvm__now.dvm__vectors & 0x1f80) != 0x1f80;
#elif defined(__i386__)
  return (dvm__now.dvm__control & 0x3f) != 0x3f;
#elif defined(__aarch64__)
  return (dvm__now.dvm__control & 0x9f00) != 0;
#else
  return dvm__now.dvm__control != dvm__now.dvm__control;
#endif
}

/* A tile, in the arithmetic of the thread that entered the region: a worker has the one that it was started with. */
__attribute__((__unused__)) static int dvm__run_tile(void *dvm__context, const dvm__int64 *dvm__tile)
{
  const struct dvm__tiles *const dvm__tiles = dvm__context;
  const struct dvm__arithmetic dvm__own = dvm__get_arithmetic(), dvm__wanted = dvm__tiles->dvm__arithmetic;
  if (dvm__own.dvm__control == dvm__wanted.dvm__control && dvm__own.dvm__vectors == dvm__wanted.dvm__vectors)
    return dvm__tiles->dvm__run(dvm__context, dvm__tile);
  dvm__set_arithmetic(dvm__wanted);
  const int dvm__code = dvm__tiles->dvm__run(dvm__context, dvm__tile);
  dvm__set_arithmetic(dvm__own);
  return dvm__code;
}

/* The bytes of consecutive elements, in cache lines: one at least. */
static __inline__ double dvm__lines(double dvm__bytes) { return dvm__bytes < 64.0 ? 64.0 : dvm__bytes; }

/* A number of bytes, as far as 64 bits hold it. */
static __inline__ dvm__int64 dvm__bounded(double dvm__sum)
{
  return dvm__sum < 4e18 ? (dvm__int64)dvm__sum : 4000000000000000000;
}

/* Says why a region runs its own loops, where notes are wanted; 1. */
__attribute__((__unused__, __cold__, __noinline__)) static int dvm__sequential(const char *dvm__name, int dvm__line,
    const char *dvm__reason)
{
  const char *const dvm__wanted = dvm__getenv("DVM_VERBOSE");
  if (dvm__wanted && dvm__wanted[0] == '1' && dvm__wanted[1] == 0)
    dvm__print(dvm__errors, "libdvm: region %s (line %d) runs sequentially: %s\n", dvm__name, dvm__line, dvm__reason);
  return 1;
}

/* Whether regions are checked: DVM_CHECK=1. */
static __inline__ int dvm__checks(void)
{
  static int dvm__known; /* 1: no, 2: yes */
  if (__builtin_expect(!dvm__known, 0)) {
    const char *const dvm__wanted = dvm__getenv("DVM_CHECK");
    dvm__known = dvm__wanted && dvm__wanted[0] == '1' && dvm__wanted[1] == 0 ? 2 : 1;
  }
  return dvm__known == 2;
}

__attribute__((__unused__, __cold__, __noinline__)) static void dvm__unchecked(const char *dvm__name, int dvm__line,
    const char *dvm__reason)
{
  dvm__print(dvm__errors, "libdvm: DVM_CHECK: region %s (line %d) is not checked: %s\n", dvm__name, dvm__line, dvm__reason);
}

/* Whether the system lets the program read all bytes of a range. */
__attribute__((__unused__, __cold__, __noinline__)) static int dvm__readable(dvm__address dvm__begin, dvm__address dvm__end)
{
  char dvm__byte;
  struct {
    void *dvm__base;
    __SIZE_TYPE__ dvm__bytes;
  } dvm__own = {&dvm__byte, 1}, dvm__page = {0, 1};
  const int dvm__self = dvm__getpid();
  dvm__address dvm__at = dvm__begin;
  while (dvm__at < dvm__end) {
    dvm__page.dvm__base = (void *)dvm__at;
    if (dvm__process_vm_readv(dvm__self, &dvm__own, 1, &dvm__page, 1, 0) != 1)
      return 0;
    dvm__at = (dvm__at | 4095) + 1;
  }
  return 1;
}

/* The list with one more, whose bytes are copied; without memory it is dvm__lost: the region cannot be checked. */
__attribute__((__unused__)) static struct dvm__written dvm__lost;
__attribute__((__unused__, __cold__, __noinline__)) static struct dvm__written *dvm__copied(
    struct dvm__written *dvm__list, struct dvm__written dvm__one)
{
  const __SIZE_TYPE__ dvm__bytes = dvm__one.dvm__end - dvm__one.dvm__begin;
  if (dvm__list == &dvm__lost)
    return dvm__list;
  struct dvm__written *dvm__new = dvm__malloc(sizeof *dvm__new);
  char *const dvm__before = dvm__malloc(dvm__bytes + 1), *const dvm__after = dvm__malloc(dvm__bytes + 1);
  if (!dvm__new || !dvm__before || !dvm__after) {
    dvm__print(dvm__errors, "libdvm: DVM_CHECK: no memory for copies of `%s`\n", dvm__one.dvm__name);
    dvm__free(dvm__before);
    dvm__free(dvm__after);
    dvm__free(dvm__new);
    for (; dvm__list; dvm__list = dvm__new) {
      dvm__new = dvm__list->dvm__next;
      dvm__free(dvm__list->dvm__before);
      dvm__free(dvm__list->dvm__after);
      dvm__free(dvm__list);
    }
    return &dvm__lost;
  }
  *dvm__new = dvm__one;
  dvm__new->dvm__next = dvm__list;
  dvm__new->dvm__before = dvm__before;
  dvm__new->dvm__after = dvm__after;
  dvm__memcpy(dvm__new->dvm__before, (void *)dvm__one.dvm__begin, dvm__bytes);
  return dvm__new;
}

/* Keeps what the tiles wrote, and brings back what was there before: 1, so that the loops run. */
__attribute__((__unused__, __cold__, __noinline__)) static int dvm__swapped(struct dvm__written *dvm__list)
{
  struct dvm__written *dvm__one;
  for (dvm__one = dvm__list; dvm__one; dvm__one = dvm__one->dvm__next)
    dvm__memcpy(dvm__one->dvm__after, (void *)dvm__one->dvm__begin, dvm__one->dvm__end - dvm__one->dvm__begin);
  for (dvm__one = dvm__list; dvm__one; dvm__one = dvm__one->dvm__next)
    dvm__memcpy((void *)dvm__one->dvm__begin, dvm__one->dvm__before, dvm__one->dvm__end - dvm__one->dvm__begin);
  return 1;
}

/* Prints an element. */
__attribute__((__unused__, __cold__, __noinline__)) static void dvm__value(const struct dvm__written *dvm__one,
    const char *dvm__at)
{
  const __SIZE_TYPE__ dvm__size = dvm__one->dvm__element;
  union {
    double dvm__d;
    float dvm__f;
    long double dvm__l;
    unsigned char dvm__c;
    unsigned short dvm__s;
    unsigned dvm__i;
    unsigned long long dvm__u;
  } dvm__v = {0};
  __SIZE_TYPE__ dvm__k;
  if (dvm__one->dvm__kind && dvm__size <= sizeof dvm__v)
    dvm__memcpy(&dvm__v, dvm__at, dvm__size);
  unsigned long long dvm__whole = dvm__size == 1 ? dvm__v.dvm__c : dvm__size == 2 ? dvm__v.dvm__s :
      dvm__size == 4 ? dvm__v.dvm__i : dvm__v.dvm__u;
  if (dvm__one->dvm__kind == 1)
    dvm__print(dvm__errors, "%.17g", dvm__v.dvm__d);
  else if (dvm__one->dvm__kind == 2)
    dvm__print(dvm__errors, "%.9g", (double)dvm__v.dvm__f);
  else if (dvm__one->dvm__kind == 3)
    dvm__print(dvm__errors, "%.21Lg", dvm__v.dvm__l);
  else if (dvm__one->dvm__kind == 4 && dvm__size < 8)
    dvm__print(dvm__errors, "%lld", (long long)(dvm__whole << (64 - 8 * dvm__size)) >> (64 - 8 * dvm__size));
  else if (dvm__one->dvm__kind == 4)
    dvm__print(dvm__errors, "%lld", (long long)dvm__whole);
  else if (dvm__one->dvm__kind == 5)
    dvm__print(dvm__errors, "%llu", dvm__whole);
  else
    for (dvm__k = 0; dvm__k < dvm__size && dvm__k < 64; dvm__k++)
      dvm__print(dvm__errors, "%02x", (unsigned)(unsigned char)dvm__at[dvm__k]);
}

/* Compares what the tiles wrote with what the loops wrote, and frees the copies. */
__attribute__((__unused__, __cold__, __noinline__)) static void dvm__compare(const char *dvm__name,
    const char *dvm__file, int dvm__line, struct dvm__written *dvm__list)
{
  while (dvm__list) {
    struct dvm__written *const dvm__one = dvm__list;
    const __SIZE_TYPE__ dvm__size = dvm__one->dvm__element, dvm__all = dvm__one->dvm__end - dvm__one->dvm__begin;
    /* The rest of a long double's bytes has no meaning. */
    const __SIZE_TYPE__ dvm__count = dvm__one->dvm__kind == 3 && dvm__size > 10 && __LDBL_MANT_DIG__ == 64 ? 10 : dvm__size;
    const char *const dvm__now = (const char *)dvm__one->dvm__begin, *const dvm__tiles = dvm__one->dvm__after;
    unsigned long long dvm__more = 0;
    __SIZE_TYPE__ dvm__at;
    int dvm__k;
    for (dvm__at = 0; dvm__at + dvm__size <= dvm__all; dvm__at += dvm__size) {
      if (dvm__memcmp(dvm__now + dvm__at, dvm__tiles + dvm__at, dvm__count) == 0 || dvm__more++ > 0)
        continue;
      dvm__print(dvm__errors, "libdvm: DVM_CHECK: region %s (%s:%d): %s", dvm__name, dvm__file, dvm__line,
          dvm__one->dvm__name);
      dvm__int64 dvm__row = 1, dvm__index[16], dvm__left =
          ((dvm__int64)(dvm__one->dvm__begin + dvm__at - dvm__one->dvm__base)) / (dvm__int64)dvm__size;
      for (dvm__k = dvm__one->dvm__rank - 1; dvm__k >= 0; dvm__k--) {
        dvm__row = dvm__k > 0 && dvm__one->dvm__rows[dvm__k] > 0 ? dvm__one->dvm__rows[dvm__k] : 0;
        dvm__index[dvm__k] = dvm__row ? dvm__left % dvm__row : dvm__left;
        dvm__left = dvm__row ? dvm__left / dvm__row : 0;
      }
      for (dvm__k = 0; dvm__k < dvm__one->dvm__rank; dvm__k++)
        dvm__print(dvm__errors, "[%lld]", (long long)dvm__index[dvm__k]);
      dvm__print(dvm__errors, " is ");
      dvm__value(dvm__one, dvm__now + dvm__at);
      dvm__print(dvm__errors, " by the loops and ");
      dvm__value(dvm__one, dvm__tiles + dvm__at);
      dvm__print(dvm__errors, " by the tiles\n");
    }
    if (dvm__more > 1)
      dvm__print(dvm__errors, "libdvm: DVM_CHECK: region %s (%s:%d): %llu more elements of `%s` differ\n", dvm__name,
          dvm__file, dvm__line, dvm__more - 1, dvm__one->dvm__name);
    dvm__list = dvm__one->dvm__next;
    dvm__free(dvm__one->dvm__before);
    dvm__free(dvm__one->dvm__after);
    dvm__free(dvm__one);
  }
}

/* Starts libdvm when nobody has; zero: it runs. Also nonzero where floating point may trap. If it cannot, the first region of the file says why. */
__attribute__((__unused__)) static int dvm__cannot_start(const char *dvm__name, int dvm__line)
{
  static int dvm__told;
  if (dvm__traps(dvm__get_arithmetic()))
    return dvm__sequential(dvm__name, dvm__line, "floating point may trap");
  if (dvm__graph_start() == dvm__success)
    return 0;
  if (!dvm__told) {
    dvm__told = 1;
    dvm__print(dvm__errors, "libdvm: region %s runs sequentially: %s\n", dvm__name, dvm__last_error());
  }
  return 1;
}

/* Whether an entry runs the original loops without asking. */
static __inline__ int dvm__unasked(struct dvm__record *dvm__record, dvm__int64 dvm__work)
{
  unsigned *const dvm__left = &dvm__record->dvm__unasked[63 - __builtin_clzll((unsigned long long)dvm__work | 1)];
  const unsigned dvm__now = __atomic_load_n(dvm__left, __ATOMIC_RELAXED);
  if (dvm__now == 0 || dvm__checks())
    return 0;
  __atomic_store_n(dvm__left, dvm__now - 1, __ATOMIC_RELAXED);
  return 1;
}

/* Iterations and nanoseconds of a file's regions before libdvm is asked whether it runs: a few milliseconds. */
#define DVM__LITTLE_WORK (16 << 20)
#define DVM__LITTLE_TIME 2000000
/* Nanoseconds of a file's regions that are worth libdvm's start: two workers win it back in as many. */
#define DVM__PATIENCE 10000000

static __inline__ int dvm__begins(const char *dvm__text, const char *dvm__word)
{
  while (*dvm__word && *dvm__text == *dvm__word)
    dvm__text++, dvm__word++;
  return *dvm__word == 0;
}

/* Whether the environment may ask libdvm for more than a number of workers: libdvm itself knows for sure. */
__attribute__((__unused__, __noinline__)) static int dvm__asked(void)
{
  char **dvm__all = dvm__environment;
  for (; dvm__all && *dvm__all; dvm__all++)
    if (dvm__begins(*dvm__all, "DVM_") && !dvm__begins(*dvm__all, "DVM_WORKERS=") && !dvm__begins(*dvm__all, "DVM_VERBOSE="))
      return 1;
  return 0;
}

/* Whether libdvm waits to start: the regions so far had less work than that. The first few milliseconds of a file's
   regions do not even ask: the first call of a library costs as much as a small region. */
static __inline__ int dvm__waits(dvm__int64 dvm__work)
{
  static int dvm__started;
  static dvm__int64 dvm__entered;
  int dvm__waits = 0;
  if (__atomic_load_n(&dvm__started, __ATOMIC_RELAXED) || dvm__checks())
    return 0;
  dvm__work = dvm__sum(__atomic_load_n(&dvm__entered, __ATOMIC_RELAXED), dvm__max(dvm__work, 1));
  if (dvm__work < DVM__LITTLE_WORK && !dvm__asked()) {
    __atomic_store_n(&dvm__entered, dvm__work, __ATOMIC_RELAXED);
    return 1;
  }
  if (dvm__region_waits(dvm__work, &dvm__waits) == dvm__success && dvm__waits) {
    __atomic_store_n(&dvm__entered, 0, __ATOMIC_RELAXED);
    return 1;
  }
  __atomic_store_n(&dvm__started, 1, __ATOMIC_RELAXED);
  return 0;
}

__attribute__((__unused__)) static dvm__int64 dvm__nanoseconds(void)
{
  long dvm__time[2] = {0, 0};
  dvm__clock(1, dvm__time);
  return dvm__time[0] * (dvm__int64)1000000000 + dvm__time[1];
}

/* Begins a region whose iterations may take any time: the calling thread runs its tiles, without libdvm, until the time
   that such regions of the file have had is worth libdvm's start. Zero: it is. */
static dvm__int64 dvm__spent;
__attribute__((__unused__)) static int dvm__begin_alone(struct dvm__tiles *dvm__tiles)
{
  const dvm__int64 dvm__before = __atomic_load_n(&dvm__spent, __ATOMIC_RELAXED);
  if (dvm__before >= DVM__PATIENCE || dvm__checks() || dvm__asked() || dvm__traps(dvm__get_arithmetic()))
    return 0;
  dvm__tiles->dvm__begun = dvm__nanoseconds() - dvm__before;
  dvm__tiles->dvm__points = dvm__tiles->dvm__until = 16;
  return dvm__tiles->dvm__alone = 1;
}

/* Looks at the clock: whether the calling thread goes on alone, and for how many further points. */
__attribute__((__unused__, __cold__, __noinline__)) static void dvm__look(struct dvm__tiles *dvm__tiles, const struct dvm__record *dvm__record)
{
  const dvm__int64 dvm__took = dvm__max(1, dvm__nanoseconds() - dvm__tiles->dvm__begun), dvm__left = DVM__PATIENCE - dvm__took;
  int dvm__waits = 1;
  if (dvm__left > 0 && dvm__took > DVM__LITTLE_TIME && dvm__region_waits(1, &dvm__waits) != dvm__success)
    dvm__waits = 0;
  if (dvm__left > 0 && dvm__waits) {
    /* As many points again, or what they may take. */
    dvm__tiles->dvm__until =
        dvm__max(dvm__tiles->dvm__points / (1 + dvm__took / dvm__left), dvm__tiles->dvm__points / 64) + 1;
    dvm__tiles->dvm__points = dvm__sum(dvm__tiles->dvm__points, dvm__tiles->dvm__until);
    return;
  }
  __atomic_store_n(&dvm__spent, DVM__PATIENCE, __ATOMIC_RELAXED);
  dvm__tiles->dvm__alone = 0;
  if (dvm__cannot_start(dvm__record->dvm__name, (int)dvm__record->dvm__line))
    dvm__tiles->dvm__serial = 1;
}

/* Ends such a region. */
__attribute__((__unused__)) static void dvm__end_alone(const struct dvm__tiles *dvm__tiles)
{
  if (dvm__tiles->dvm__alone)
    __atomic_store_n(&dvm__spent, dvm__nanoseconds() - dvm__tiles->dvm__begun, __ATOMIC_RELAXED);
}

/* Begins an entry; zero: it runs the original loops, or one tile. Where regions are checked, their tiles run. */
static __inline__ int dvm__enter(struct dvm__record *dvm__record, dvm__int64 dvm__work, struct dvm__entry *dvm__entry)
{
  return dvm__checks() || (dvm__region_enter(dvm__record, dvm__work, dvm__entry) == dvm__success && dvm__entry->dvm__way != 0);
}

/* Ends an entry. */
static __inline__ void dvm__leave(struct dvm__record *dvm__record, const struct dvm__entry *dvm__entry)
{
  if (dvm__entry->dvm__begun != 0)
    dvm__region_leave(dvm__record, dvm__entry);
}

/* Runs the tiles of the box up to upper in lexicographic order, each row between its own ends. */
__attribute__((__unused__)) static void dvm__in_order(void *dvm__context, const struct dvm__tiles *dvm__tiles,
    int dvm__dimension, const dvm__int64 *dvm__upper)
{
  dvm__int64 dvm__tile[DVM__DIMENSIONS] = {0}, dvm__last[DVM__DIMENSIONS] = {0};
  int dvm__k = 0;
  while (dvm__k >= 0) {
    if (dvm__k < dvm__dimension) {
      /* Down to the next coordinate, at its first value. */
      dvm__int64 dvm__ends[2] = {0, dvm__upper[dvm__k]};
      if (dvm__k > 0 && dvm__tiles->dvm__bounds)
        dvm__tiles->dvm__bounds(dvm__context, dvm__k, dvm__tile, dvm__ends);
      dvm__tile[dvm__k] = dvm__ends[0];
      dvm__last[dvm__k] = dvm__ends[1];
      if (dvm__ends[0] <= dvm__ends[1]) {
        dvm__k++;
        continue;
      }
    } else {
      dvm__tiles->dvm__run(dvm__context, dvm__tile);
    }
    for (dvm__k--; dvm__k >= 0 && dvm__tile[dvm__k] == dvm__last[dvm__k]; dvm__k--)
      ;
    if (dvm__k >= 0)
      dvm__tile[dvm__k++]++;
  }
}

/* Runs single iterations from the last to the first, if none waits for another one: a false `independent` shows. */
__attribute__((__unused__, __cold__, __noinline__)) static int dvm__backwards(void *dvm__context,
    struct dvm__tiles *dvm__tiles, int dvm__dimension, const dvm__int64 *dvm__extent, const int *dvm__carried)
{
  dvm__int64 dvm__tile[DVM__DIMENSIONS] = {0};
  int dvm__k;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    if (dvm__carried[dvm__k] || dvm__extent[dvm__k] <= 0)
      return 0;
    dvm__tiles->dvm__size[dvm__k] = 1;
    dvm__tile[dvm__k] = dvm__extent[dvm__k] - 1;
  }
  dvm__k = 0;
  while (dvm__k >= 0) {
    dvm__tiles->dvm__run(dvm__context, dvm__tile);
    for (dvm__k = dvm__dimension - 1; dvm__k >= 0 && dvm__tile[dvm__k] == 0; dvm__k--)
      dvm__tile[dvm__k] = dvm__extent[dvm__k] - 1;
    if (dvm__k >= 0)
      dvm__tile[dvm__k]--;
  }
  return 1;
}

__attribute__((__unused__)) static void dvm__run_tiles(struct dvm__record *dvm__record, int dvm__dimension,
    const dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried,
    int (*dvm__run)(void *, const dvm__int64 *), dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *),
    struct dvm__tiles *dvm__tiles, void *dvm__context);

/* Runs iterations of a band in the calling thread, in order, until all have run or nobody runs alone any more. A tile has
   as many blocks of values of the coordinate `depth` as there are points left before the next look at the clock, and all
   values of those inside; where one block has too many points, it is taken apart. Whole blocks: what is left begins where
   a block does. first becomes where the band goes on; zero: it does. */
__attribute__((__unused__, __noinline__)) static int dvm__run_alone(struct dvm__record *dvm__record, int dvm__dimension,
    dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried, int (*dvm__run)(void *, const dvm__int64 *),
    dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *), struct dvm__tiles *dvm__tiles, void *dvm__context,
    int dvm__depth)
{
  static const dvm__int64 dvm__lower[DVM__DIMENSIONS] = {0};
  const dvm__int64 dvm__block = dvm__tiles->dvm__multiples ? dvm__max(1, dvm__tiles->dvm__multiples[dvm__depth]) : 1;
  dvm__int64 dvm__inside = dvm__block, dvm__values;
  int dvm__k;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++)
    if (dvm__k != dvm__depth)
      dvm__inside = dvm__product(dvm__inside, dvm__last[dvm__k] - dvm__first[dvm__k] + 1);
  while (dvm__tiles->dvm__alone && dvm__first[dvm__depth] <= dvm__last[dvm__depth]) {
    if (dvm__depth + 1 < dvm__dimension && dvm__inside > dvm__tiles->dvm__until) {
      dvm__int64 dvm__from[DVM__DIMENSIONS], dvm__to[DVM__DIMENSIONS];
      for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
        dvm__from[dvm__k] = dvm__first[dvm__k];
        dvm__to[dvm__k] = dvm__last[dvm__k];
      }
      dvm__to[dvm__depth] = dvm__min(dvm__last[dvm__depth], dvm__first[dvm__depth] + dvm__block - 1);
      if (!dvm__run_alone(dvm__record, dvm__dimension, dvm__from, dvm__to, dvm__carried, dvm__run, dvm__footprint,
              dvm__tiles, dvm__context, dvm__depth + 1))
        dvm__run_tiles(dvm__record, dvm__dimension, dvm__from, dvm__to, dvm__carried, dvm__run, dvm__footprint, dvm__tiles,
            dvm__context);
      dvm__first[dvm__depth] = dvm__to[dvm__depth] + 1;
      continue;
    }
    dvm__values = dvm__product(dvm__block, dvm__max(1, dvm__tiles->dvm__until / dvm__inside));
    dvm__values = dvm__min(dvm__values, dvm__last[dvm__depth] - dvm__first[dvm__depth] + 1);
    for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
      dvm__tiles->dvm__first[dvm__k] = dvm__first[dvm__k];
      dvm__tiles->dvm__size[dvm__k] = dvm__k == dvm__depth ? dvm__values : dvm__last[dvm__k] - dvm__first[dvm__k] + 1;
    }
    dvm__run(dvm__context, dvm__lower);
    dvm__first[dvm__depth] += dvm__values;
    dvm__tiles->dvm__until -= dvm__product(dvm__values, dvm__inside) / dvm__block;
    if (dvm__tiles->dvm__until <= 0)
      dvm__look(dvm__tiles, dvm__record);
  }
  return dvm__first[dvm__depth] > dvm__last[dvm__depth];
}

/* Runs the iterations of the band coordinates first .. last: in this thread, or as a graph whose tiles wait along the
   carried coordinates. The context begins with the tiles. */
__attribute__((__unused__)) static void dvm__run_tiles(struct dvm__record *dvm__record, int dvm__dimension,
    const dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried,
    int (*dvm__run)(void *, const dvm__int64 *), dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *),
    struct dvm__tiles *dvm__tiles, void *dvm__context)
{
  int dvm__single = 1, dvm__k;
  if (dvm__tiles->dvm__alone) {
    dvm__int64 dvm__from[DVM__DIMENSIONS];
    for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
      dvm__from[dvm__k] = dvm__first[dvm__k];
      if (dvm__first[dvm__k] > dvm__last[dvm__k])
        return;
    }
    dvm__tiles->dvm__run = dvm__run;
    if (!dvm__run_alone(dvm__record, dvm__dimension, dvm__from, dvm__last, dvm__carried, dvm__run, dvm__footprint,
            dvm__tiles, dvm__context, 0))
      dvm__run_tiles(dvm__record, dvm__dimension, dvm__from, dvm__last, dvm__carried, dvm__run, dvm__footprint, dvm__tiles,
          dvm__context);
    return;
  }
  dvm__int64 dvm__extent[DVM__DIMENSIONS] = {0}, dvm__lower[DVM__DIMENSIONS] = {0}, dvm__upper[DVM__DIMENSIONS] = {0};
  dvm__int64 *const dvm__size = dvm__tiles->dvm__size;
  dvm__int64 dvm__work = 1;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    dvm__extent[dvm__k] = dvm__last[dvm__k] - dvm__first[dvm__k] + 1;
    if (dvm__extent[dvm__k] <= 0)
      return;
    dvm__work = dvm__product(dvm__work, dvm__extent[dvm__k]);
    dvm__tiles->dvm__first[dvm__k] = dvm__first[dvm__k];
    dvm__size[dvm__k] = dvm__max(dvm__tiles->dvm__fixed[dvm__k], 0);
    if (dvm__size[dvm__k] == 0 && dvm__tiles->dvm__multiples)
      dvm__size[dvm__k] = -dvm__tiles->dvm__multiples[dvm__k];
  }
  if (dvm__tiles->dvm__across) {
    dvm__tiles->dvm__run = dvm__run;
    dvm__tiles->dvm__take(dvm__record, dvm__dimension, dvm__extent, dvm__carried, dvm__footprint, dvm__tiles, dvm__context);
    return;
  }
  struct dvm__entry dvm__entry = {0};
  const int dvm__several = dvm__tiles->dvm__serial != 1 && dvm__enter(dvm__record, dvm__work, &dvm__entry) &&
      dvm__region_sizes(dvm__record, dvm__dimension, dvm__extent, dvm__carried, dvm__footprint, dvm__context, dvm__size) ==
          dvm__success;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    if (dvm__tiles->dvm__fixed[dvm__k] > 0)
      dvm__size[dvm__k] = dvm__tiles->dvm__fixed[dvm__k];
    else if (!dvm__several)
      dvm__size[dvm__k] = dvm__extent[dvm__k];
    dvm__size[dvm__k] = dvm__max(1, dvm__min(dvm__size[dvm__k], dvm__extent[dvm__k]));
    dvm__upper[dvm__k] = (dvm__extent[dvm__k] - 1) / dvm__size[dvm__k];
    dvm__single = dvm__single && dvm__upper[dvm__k] == 0;
  }
  dvm__tiles->dvm__run = dvm__run;
  if (dvm__tiles->dvm__serial == 2 && dvm__backwards(dvm__context, dvm__tiles, dvm__dimension, dvm__extent, dvm__carried))
    return;
  if (dvm__single) {
    dvm__run(dvm__context, dvm__lower);
    dvm__leave(dvm__record, &dvm__entry);
    return;
  }
  if (dvm__several && !dvm__tiles->dvm__serial) {
    dvm__tiles->dvm__arithmetic = dvm__get_arithmetic();
    struct dvm__graph dvm__graph = {0};
    dvm__graph.dvm__bytes = sizeof dvm__graph;
    dvm__graph.dvm__name = dvm__record->dvm__name;
    dvm__graph.dvm__dimension = dvm__dimension;
    dvm__graph.dvm__lower = dvm__lower;
    dvm__graph.dvm__upper = dvm__upper;
    dvm__graph.dvm__carried = dvm__carried;
    dvm__graph.dvm__run = DVM__RUN_TILE;
    dvm__graph.dvm__context = dvm__context;
    dvm__graph.dvm__bounds = dvm__tiles->dvm__bounds;
    dvm__graph.dvm__exists = dvm__tiles->dvm__exists;
    const int dvm__code = dvm__region_run(&dvm__graph);
    if (dvm__code == dvm__success) {
      dvm__leave(dvm__record, &dvm__entry);
      return;
    }
    if (dvm__code != dvm__in_task && dvm__code != dvm__not_initialized && dvm__code != dvm__argument) {
      /* Some tiles have run and the arrays are half done: neither going on nor starting again would be right. */
      dvm__print(dvm__errors, "%s: the tiles could not be run to the end (libdvm's code %d)\n", dvm__record->dvm__name,
          dvm__code);
      __builtin_abort();
    }
    /* Nothing has run: for example in a task, where nothing can be waited for. */
  }
  dvm__in_order(dvm__context, dvm__tiles, dvm__dimension, dvm__upper);
  dvm__leave(dvm__record, &dvm__entry);
}
#pragma GCC visibility pop
#pragma pack(pop)
DVM__LOUD
#pragma GCC diagnostic pop
#endif
