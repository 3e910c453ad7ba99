/* Strided copies between memories, as pairs of a send and a receive.
 *
 * Code that `dvm-codegen redist c` writes calls DMA_SEND for the source side of a copy and DMA_RECEIVE for its target
 * side, right after each other, then DMA_WAIT once. A matched pair is one strided copy; copies run in any order, also
 * at the same time. Offsets, counts and strides are in elements. Whoever has a real DMA engine defines the macros
 * before this header is included, and need not link the functions.
 *
 * Inside a generated function the engine is the parameter `dma`.
 */
#ifndef DVM_DMA_H
#define DVM_DMA_H

#include <stddef.h>
#include <stdint.h>

#ifndef DVM_DMA_MEMORY
#include <dvm.h>
/* What a memory is: a DVM datum, unless the program says otherwise (before it includes this header). */
#define DVM_DMA_MEMORY dvm_data_id_t
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An engine between some source memories and some target memories. */
typedef struct dvm_dma_t dvm_dma_t;

/* Makes an engine for elements of `element` bytes. Memories are numbered as in the arrays: row-major over the box of
 * the architectural variables. The arrays are read during the call only. Returns 0 or an error code. */
int dvm_dma_open(dvm_dma_t **dma, size_t element, DVM_DMA_MEMORY *source, int64_t sources, DVM_DMA_MEMORY *target,
                 int64_t targets);

/* The source side of a copy of count (times count2, times count3) elements. The next receive is its target side. */
void dvm_dma_send(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride);
void dvm_dma_send_2d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                     int64_t stride2);
void dvm_dma_send_3d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                     int64_t stride2, int64_t count3, int64_t stride3);

/* The target side of the copy that the last send began. */
void dvm_dma_receive(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride);
void dvm_dma_receive_2d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                        int64_t stride2);
void dvm_dma_receive_3d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                        int64_t stride2, int64_t count3, int64_t stride3);

/* Waits for all copies so far. Returns 0, or the first error since the last wait: a memory that is not there, a place
 * outside of it, a send without a receive or the reverse, different shapes. */
int dvm_dma_wait(dvm_dma_t *dma);

/* Waits and frees the engine. NULL is allowed. */
void dvm_dma_close(dvm_dma_t *dma);

#ifdef __cplusplus
}
#endif

#ifndef DMA_SEND
#define DMA_SEND(memory, offset, count, stride) dvm_dma_send(dma, memory, offset, count, stride)
#define DMA_SEND_2D(memory, offset, count, stride, count2, stride2) \
  dvm_dma_send_2d(dma, memory, offset, count, stride, count2, stride2)
#define DMA_SEND_3D(memory, offset, count, stride, count2, stride2, count3, stride3) \
  dvm_dma_send_3d(dma, memory, offset, count, stride, count2, stride2, count3, stride3)
#define DMA_RECEIVE(memory, offset, count, stride) dvm_dma_receive(dma, memory, offset, count, stride)
#define DMA_RECEIVE_2D(memory, offset, count, stride, count2, stride2) \
  dvm_dma_receive_2d(dma, memory, offset, count, stride, count2, stride2)
#define DMA_RECEIVE_3D(memory, offset, count, stride, count2, stride2, count3, stride3) \
  dvm_dma_receive_3d(dma, memory, offset, count, stride, count2, stride2, count3, stride3)
#define DMA_WAIT() dvm_dma_wait(dma)
#endif

/* Arithmetic of loop bounds: quotients rounded down and up, also for negative dividends; d > 0. */
static inline int64_t dvm_floor_div(int64_t a, int64_t d) { return a / d - (a % d < 0); }
static inline int64_t dvm_ceil_div(int64_t a, int64_t d) { return a / d + (a % d > 0); }
static inline int64_t dvm_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t dvm_min(int64_t a, int64_t b) { return a < b ? a : b; }

/* Counters from..to; empty when to < from. */
typedef struct dvm_span_t {
  int64_t from, to;
} dvm_span_t;

/* The first run of counters at or after *from, up to last, that no cut covers: *from .. *to. 0 when there is none. */
static inline int dvm_next_run(const dvm_span_t *cut, int cuts, int64_t last, int64_t *from, int64_t *to) {
  int moved = 1;
  while (moved) {
    moved = 0;
    for (int i = 0; i < cuts; i++)
      if (cut[i].from <= *from && *from <= cut[i].to) {
        *from = cut[i].to + 1;
        moved = 1;
      }
  }
  *to = last;
  for (int i = 0; i < cuts; i++)
    if (cut[i].from > *from && cut[i].from <= cut[i].to && cut[i].from <= *to)
      *to = cut[i].from - 1;
  return *from <= *to;
}

#endif
