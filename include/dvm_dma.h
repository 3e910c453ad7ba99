/* Strided copies between memories, as pairs of a send and a receive.
 *
 * Code that `dvm-codegen redist c` writes calls DMA_SEND for the source side of a copy and DMA_RECEIVE for its target
 * side, right after each other, then DMA_WAIT once. A matched pair is one strided copy; copies run in any order, also
 * at the same time. Offsets, counts and strides are in elements. Memories are numbered row-major over the box of the
 * architectural variables, as in dvm_distribution_parse.
 *
 * As it is, the engine is libdvm's: memories are data, dvm_dma_open makes an engine between some of them, all workers copy,
 * and DMA_WAIT gives dvm_dma_wait's code.
 *
 * Whoever has another engine defines, before this header is included, DVM_DMA_ENGINE (the type of the parameter `dma`
 * of a generated function) and the macros DMA_SEND, DMA_SEND_2D, DMA_SEND_3D, DMA_RECEIVE, DMA_RECEIVE_2D,
 * DMA_RECEIVE_3D and DMA_WAIT(), an int, in terms of `dma`; libdvm is not needed then.
 */
#ifndef DVM_DMA_H
#define DVM_DMA_H

#include <stdint.h>

#ifndef DMA_SEND
#include <dvm.h>
#define DVM_DMA_ENGINE dvm_dma_t
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
#define DMA_WAIT() ((int)dvm_dma_wait(dma))
#elif !defined(DVM_DMA_ENGINE)
#error "an engine of your own needs DVM_DMA_ENGINE, the type of the parameter dma, beside the macros"
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
