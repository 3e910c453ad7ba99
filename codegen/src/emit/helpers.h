#ifndef DVM__HELPERS
#define DVM__HELPERS
/* Nothing is included here, and every name begins with dvm__: macros, types and functions of the program may have any
   other name, also one that a header would give to something else. */
#define DVM__DIMENSIONS 16

#if defined(__clang__)
#define DVM__INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DVM__INDEPENDENT _Pragma("GCC ivdep")
#endif

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
  _Pragma("GCC diagnostic ignored \"-Wtype-limits\"") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
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

/* What every region's context begins with: the tiles of the graph that runs. */
struct dvm__tiles {
  dvm__int64 dvm__fixed[DVM__DIMENSIONS]; /* sizes that the pragma gives; 0: chosen at run time */
  dvm__int64 dvm__size[DVM__DIMENSIONS];  /* sizes of a tile */
  int dvm__serial;                        /* nonzero: the tiles run here, one after another */
  dvm__int64 dvm__first[DVM__DIMENSIONS]; /* least coordinates of the band: where tile 0 begins */
  int (*dvm__run)(void *, const dvm__int64 *);
  void (*dvm__bounds)(void *, dvm__int64, const dvm__int64 *, dvm__int64 *); /* of a coordinate; 0: the box */
  int (*dvm__exists)(void *, const dvm__int64 *); /* whether a tile has anything to run; 0: all have */
  struct dvm__arithmetic dvm__arithmetic; /* of the thread that entered the region */
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
extern int dvm__graph_run(const struct dvm__graph *) __asm__("dvm_graph_run");
extern int dvm__graph_sizes(const char *, int, const dvm__int64 *, const int *,
    dvm__int64 (*)(void *, const dvm__int64 *), void *, dvm__int64 *) __asm__("dvm_graph_sizes");
extern const char *dvm__last_error(void) __asm__("dvm_last_error");
extern int dvm__print(void *, const char *, ...) __asm__("fprintf");
extern void *dvm__errors __asm__("stderr");
extern char *dvm__getenv(const char *) __asm__("getenv");
#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__)
/* Programs without them do not change the way of rounding. */
extern int dvm__fegetround(void) __asm__("fegetround") __attribute__((__weak__));
extern int dvm__fesetround(int) __asm__("fesetround") __attribute__((__weak__));
#endif
enum { dvm__success = 0, dvm__argument = 1, dvm__not_initialized = 2, dvm__in_task = 13 }; /* codes of dvm.h */

static inline dvm__int64 dvm__min(dvm__int64 dvm__a, dvm__int64 dvm__b) { return dvm__a < dvm__b ? dvm__a : dvm__b; }
static inline dvm__int64 dvm__max(dvm__int64 dvm__a, dvm__int64 dvm__b) { return dvm__a > dvm__b ? dvm__a : dvm__b; }
/* A product and a sum, or a number beyond every limit. */
static inline dvm__int64 dvm__product(dvm__int64 dvm__a, dvm__int64 dvm__b)
{
  dvm__int64 dvm__both;
  return __builtin_mul_overflow(dvm__a, dvm__b, &dvm__both) ? __INT64_MAX__ : dvm__both;
}
static inline dvm__int64 dvm__sum(dvm__int64 dvm__a, dvm__int64 dvm__b)
{
  dvm__int64 dvm__both;
  return __builtin_add_overflow(dvm__a, dvm__b, &dvm__both) ? __INT64_MAX__ : dvm__both;
}
/* Reductions: the number of iterations alone tells the blocks, at most 256. */
static inline dvm__int64 dvm__block(dvm__int64 dvm__iterations, dvm__int64 dvm__least)
{
  return dvm__max((dvm__iterations + 255) / 256, dvm__least);
}
static inline int dvm__blocks(dvm__int64 dvm__iterations, dvm__int64 dvm__least)
{
  return dvm__iterations > 0 ? (int)((dvm__iterations - 1) / dvm__block(dvm__iterations, dvm__least)) + 1 : 0;
}
static inline dvm__int64 dvm__floor_div(dvm__int64 dvm__a, dvm__int64 dvm__b)
{
  return dvm__a / dvm__b - (dvm__a % dvm__b != 0 && (dvm__a < 0) != (dvm__b < 0));
}

/* Narrows the ends of a coordinate: no tile T is in the graph for which first + T * size, or first - T * size, is negative. */
static inline void dvm__from(dvm__int64 *dvm__ends, dvm__int64 dvm__first, dvm__int64 dvm__size)
{
  dvm__ends[0] = dvm__max(dvm__ends[0], -dvm__floor_div(dvm__first, dvm__size));
}
static inline void dvm__up_to(dvm__int64 *dvm__ends, dvm__int64 dvm__first, dvm__int64 dvm__size)
{
  dvm__ends[1] = dvm__min(dvm__ends[1], dvm__floor_div(dvm__first, dvm__size));
}

/* The calling thread's arithmetic, without the flags of what has happened so far. */
static inline struct dvm__arithmetic dvm__get_arithmetic(void)
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
static inline void dvm__set_arithmetic(struct dvm__arithmetic dvm__new)
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
static inline int dvm__traps(struct dvm__arithmetic dvm__now)
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
static inline double dvm__lines(double dvm__bytes) { return dvm__bytes < 64.0 ? 64.0 : dvm__bytes; }

/* A number of bytes, as far as 64 bits hold it. */
static inline dvm__int64 dvm__bounded(double dvm__sum)
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

/* Runs the tiles of the box up to upper in lexicographic order, each row between its own ends. */
__attribute__((__unused__)) static void dvm__in_order(void *dvm__context, const struct dvm__tiles *dvm__tiles,
    int dvm__dimension, const dvm__int64 *dvm__upper)
{
  dvm__int64 dvm__tile[DVM__DIMENSIONS] = {0}, dvm__last[DVM__DIMENSIONS] = {0};
  for (int dvm__k = 0; dvm__k >= 0;) {
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

/* Runs every tile of the box of band coordinates first .. last; tiles wait along the carried coordinates.
   The context begins with the tiles. Where the graph cannot be run (in a task, where nothing can be waited for) the
   tiles run here, in order. */
__attribute__((__unused__)) static void dvm__run_tiles(const char *dvm__name, int dvm__dimension,
    const dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried,
    int (*dvm__run)(void *, const dvm__int64 *), dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *),
    struct dvm__tiles *dvm__tiles, void *dvm__context)
{
  dvm__int64 dvm__extent[DVM__DIMENSIONS] = {0}, dvm__lower[DVM__DIMENSIONS] = {0}, dvm__upper[DVM__DIMENSIONS] = {0};
  dvm__int64 *const dvm__size = dvm__tiles->dvm__size;
  int dvm__single = 1;
  for (int dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    dvm__extent[dvm__k] = dvm__last[dvm__k] - dvm__first[dvm__k] + 1;
    dvm__tiles->dvm__first[dvm__k] = dvm__first[dvm__k];
    dvm__size[dvm__k] = dvm__max(dvm__tiles->dvm__fixed[dvm__k], 0);
  }
  if (dvm__graph_sizes(dvm__name, dvm__dimension, dvm__extent, dvm__carried, dvm__footprint, dvm__context, dvm__size) !=
      dvm__success)
    for (int dvm__k = 0; dvm__k < dvm__dimension; dvm__k++)
      dvm__size[dvm__k] = dvm__size[dvm__k] > 0 ? dvm__size[dvm__k] : 32;
  for (int dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    if (dvm__tiles->dvm__fixed[dvm__k] > 0)
      dvm__size[dvm__k] = dvm__tiles->dvm__fixed[dvm__k];
    dvm__size[dvm__k] = dvm__max(1, dvm__min(dvm__size[dvm__k], dvm__extent[dvm__k]));
    dvm__upper[dvm__k] = (dvm__extent[dvm__k] - 1) / dvm__size[dvm__k];
    dvm__single = dvm__single && dvm__upper[dvm__k] == 0;
  }
  if (dvm__single) {
    dvm__run(dvm__context, dvm__lower);
    return;
  }
  dvm__tiles->dvm__run = dvm__run;
  if (dvm__tiles->dvm__serial) {
    dvm__in_order(dvm__context, dvm__tiles, dvm__dimension, dvm__upper);
    return;
  }
  dvm__tiles->dvm__arithmetic = dvm__get_arithmetic();
  struct dvm__graph dvm__graph = {0};
  dvm__graph.dvm__bytes = sizeof dvm__graph;
  dvm__graph.dvm__name = dvm__name;
  dvm__graph.dvm__dimension = dvm__dimension;
  dvm__graph.dvm__lower = dvm__lower;
  dvm__graph.dvm__upper = dvm__upper;
  dvm__graph.dvm__carried = dvm__carried;
  dvm__graph.dvm__run = DVM__RUN_TILE;
  dvm__graph.dvm__context = dvm__context;
  dvm__graph.dvm__bounds = dvm__tiles->dvm__bounds;
  dvm__graph.dvm__exists = dvm__tiles->dvm__exists;
  const int dvm__code = dvm__graph_run(&dvm__graph);
  if (dvm__code == dvm__success)
    return;
  if (dvm__code != dvm__in_task && dvm__code != dvm__not_initialized && dvm__code != dvm__argument) {
    /* Some tiles have run and the arrays are half done: neither going on nor starting again would be right. */
    dvm__print(dvm__errors, "%s: the tiles could not be run to the end (libdvm's code %d)\n", dvm__name, dvm__code);
    __builtin_abort();
  }
  dvm__in_order(dvm__context, dvm__tiles, dvm__dimension, dvm__upper);
}
#pragma GCC visibility pop
#pragma pack(pop)
DVM__LOUD
#endif
