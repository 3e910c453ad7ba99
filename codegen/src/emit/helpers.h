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
  _Pragma("GCC diagnostic ignored \"-Wunused-macros\"") _Pragma("GCC diagnostic ignored \"-Wunsuffixed-float-constants\"")
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
#pragma GCC visibility pop
#pragma pack(pop)
DVM__LOUD
#pragma GCC diagnostic pop
#endif
