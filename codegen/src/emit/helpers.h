#ifndef DVM_CODEGEN_HELPERS
#define DVM_CODEGEN_HELPERS
#include <dvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__clang__)
#define DVM_UNUSED __attribute__((unused))
#define DVM_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DVM_UNUSED __attribute__((unused))
#define DVM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DVM_UNUSED
#define DVM_INDEPENDENT
#endif

/* Around generated code: warnings that a program turns on (or into errors) are about the program's own text. */
#if defined(__clang__)
#define DVM_QUIET_COMPILER _Pragma("GCC diagnostic ignored \"-Wpass-failed\"")
#else
#define DVM_QUIET_COMPILER
#endif
#if defined(__GNUC__)
#define DVM_QUIET \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
  _Pragma("GCC diagnostic ignored \"-Wconversion\"") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") \
  _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"") _Pragma("GCC diagnostic ignored \"-Wsign-compare\"") \
  _Pragma("GCC diagnostic ignored \"-Wfloat-equal\"") _Pragma("GCC diagnostic ignored \"-Wdouble-promotion\"") \
  _Pragma("GCC diagnostic ignored \"-Wdeclaration-after-statement\"") _Pragma("GCC diagnostic ignored \"-Wvla\"") \
  _Pragma("GCC diagnostic ignored \"-Wcast-qual\"") _Pragma("GCC diagnostic ignored \"-Wunused\"") \
  _Pragma("GCC diagnostic ignored \"-Wtype-limits\"") _Pragma("GCC diagnostic ignored \"-Wpedantic\"") DVM_QUIET_COMPILER
#define DVM_LOUD _Pragma("GCC diagnostic pop")
#else
#define DVM_QUIET
#define DVM_LOUD
#endif

DVM_QUIET
/* What every region's context begins with: the tiles of the graph that runs. */
struct dvm_tiles {
  int64_t fixed[DVM_GRAPH_MAX_DIMENSION]; /* sizes that the pragma gives; 0: chosen at run time */
  int64_t size[DVM_GRAPH_MAX_DIMENSION];  /* sizes of a tile */
  int64_t first[DVM_GRAPH_MAX_DIMENSION]; /* least coordinates of the band: where tile 0 begins */
};

DVM_UNUSED static inline int64_t dvm_min(int64_t a, int64_t b) { return a < b ? a : b; }
DVM_UNUSED static inline int64_t dvm_max(int64_t a, int64_t b) { return a > b ? a : b; }
DVM_UNUSED static inline int64_t dvm_floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* Starts libdvm when nobody has; zero: it runs. If it cannot, the first region of the file says why. */
DVM_UNUSED static int dvm_cannot_start(const char *name)
{
  static int told;
  if (dvm_graph_start() == DVM_SUCCESS)
    return 0;
  if (!told) {
    told = 1;
    fprintf(stderr, "libdvm: region %s runs sequentially: %s\n", name, dvm_last_error());
  }
  return 1;
}

/* Runs every tile of the box of band coordinates first .. last; tiles wait along the carried coordinates.
   `context` begins with `tiles`. Where the graph cannot be run (in a task, where nothing can be waited for) the
   tiles run here, in order. */
DVM_UNUSED static void dvm_run_tiles(const char *name, int dimension, const int64_t *first, const int64_t *last,
    const int *carried, int (*run)(void *, const int64_t *), int64_t (*footprint)(void *, const int64_t *),
    struct dvm_tiles *tiles, void *context)
{
  int64_t extent[DVM_GRAPH_MAX_DIMENSION] = {0}, lower[DVM_GRAPH_MAX_DIMENSION] = {0}, upper[DVM_GRAPH_MAX_DIMENSION] = {0};
  int single = 1;
  for (int k = 0; k < dimension; k++) {
    extent[k] = last[k] - first[k] + 1;
    tiles->first[k] = first[k];
    tiles->size[k] = dvm_max(tiles->fixed[k], 0);
  }
  if (dvm_graph_sizes(name, dimension, extent, carried, footprint, context, tiles->size) != DVM_SUCCESS)
    for (int k = 0; k < dimension; k++)
      tiles->size[k] = tiles->size[k] > 0 ? tiles->size[k] : 32;
  for (int k = 0; k < dimension; k++) {
    tiles->size[k] = dvm_max(1, dvm_min(tiles->size[k], extent[k]));
    upper[k] = (extent[k] - 1) / tiles->size[k];
    single = single && upper[k] == 0;
  }
  if (single) {
    run(context, lower);
    return;
  }
  dvm_graph_t graph = {0};
  graph.size = sizeof graph;
  graph.name = name;
  graph.dimension = dimension;
  graph.lower = lower;
  graph.upper = upper;
  graph.carried = carried;
  graph.run = run;
  graph.context = context;
  const int code = (int)dvm_graph_run(&graph);
  if (code == DVM_SUCCESS)
    return;
  if (code != DVM_ERR_IN_TASK && code != DVM_ERR_NOT_INITIALIZED && code != DVM_ERR_ARGUMENT) {
    /* Some tiles have run and the arrays are half done: neither going on nor starting again would be right. */
    fprintf(stderr, "%s: the tiles could not be run to the end (libdvm's code %d)\n", name, code);
    abort();
  }
  int64_t tile[DVM_GRAPH_MAX_DIMENSION] = {0};
  for (int k = 0; k >= 0;) {
    run(context, tile);
    for (k = dimension - 1; k >= 0 && tile[k] == upper[k]; k--)
      tile[k] = 0;
    if (k >= 0)
      tile[k]++;
  }
}
DVM_LOUD
#endif
