/* A stand-in for libdvm in tests of generated code: it runs tile graphs in any legal order, also a random one. */
#ifndef DVM_STANDIN_H
#define DVM_STANDIN_H
#include <stddef.h>
#include <stdint.h>

#define DVM_GRAPH_MAX_DIMENSION 16
typedef enum { DVM_SUCCESS = 0, DVM_ERR_ARGUMENT = 1, DVM_ERR_NOT_INITIALIZED = 2, DVM_ERR_IN_TASK = 13 } dvm_retcode_t;
typedef void (*dvm_graph_visit_t)(void *visitor, const int64_t *tile);
typedef struct dvm_graph_t {
  size_t size;
  const char *name;
  int dimension;
  const int64_t *lower;
  const int64_t *upper;
  const int *carried;
  int (*run)(void *context, const int64_t *tile);
  int64_t (*predecessors)(void *context, const int64_t *tile);
  void (*successors)(void *context, const int64_t *tile, dvm_graph_visit_t visit, void *visitor);
  void *context;
  void (*bounds)(void *context, int64_t coordinate, const int64_t *tile, int64_t *ends);
  int (*exists)(void *context, const int64_t *tile);
} dvm_graph_t;

typedef struct dvm_region_t {
  size_t size;
  const char *name;
  int64_t line;
  int64_t phase;
  uint64_t number;
  uint32_t unasked[64];
} dvm_region_t;

typedef struct dvm_region_entry_t {
  int64_t way;
  int64_t work;
  uint64_t begun;
} dvm_region_entry_t;

const char *dvm_last_error(void);
dvm_retcode_t dvm_graph_start(void);
dvm_retcode_t dvm_region_enter(dvm_region_t *region, int64_t work, dvm_region_entry_t *entry);
dvm_retcode_t dvm_region_leave(dvm_region_t *region, const dvm_region_entry_t *entry);
dvm_retcode_t dvm_region_run(const dvm_graph_t *graph);
dvm_retcode_t dvm_region_sizes(dvm_region_t *region, int dimension, const int64_t *extent, const int *carried,
    int64_t (*footprint)(void *context, const int64_t *sizes), void *context, int64_t *sizes);
dvm_retcode_t dvm_region_waits(int64_t work, int *waits);
dvm_retcode_t dvm_across_known(const void *region);
dvm_retcode_t dvm_across_serve(void (*caller)(void));
dvm_retcode_t dvm_across_loop(int begins);
#endif
