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

/* ----- Loop bounds of generated code -----
 *
 * Thread safety: any thread, any task, any time.
 */

/**
 * @brief A quotient, rounded down also where it is negative.
 *
 * @param[in] a  the dividend
 * @param[in] d  the divisor, positive
 * @return the greatest number that is at most a / d
 */
static inline int64_t dvm_floor_div(int64_t a, int64_t d) { return a / d - (a % d < 0); }

/**
 * @brief A quotient, rounded up also where it is negative.
 *
 * @param[in] a  the dividend
 * @param[in] d  the divisor, positive
 * @return the least number that is at least a / d
 */
static inline int64_t dvm_ceil_div(int64_t a, int64_t d) { return a / d + (a % d > 0); }

/**
 * @brief The greater of two numbers.
 *
 * @param[in] a  a number
 * @param[in] b  a number
 * @return the greater one
 */
static inline int64_t dvm_max(int64_t a, int64_t b) { return a > b ? a : b; }

/**
 * @brief The smaller of two numbers.
 *
 * @param[in] a  a number
 * @param[in] b  a number
 * @return the smaller one
 */
static inline int64_t dvm_min(int64_t a, int64_t b) { return a < b ? a : b; }

/**
 * @brief Counters from one to another; empty when `to` is below `from`.
 */
typedef struct dvm_span_t {
  /** The first counter. */
  int64_t from;
  /** The last counter. */
  int64_t to;
} dvm_span_t;

/**
 * @brief The first run of counters that no cut covers.
 *
 * @param[in]     cut   the cuts
 * @param[in]     cuts  their number
 * @param[in]     last  the last counter
 * @param[in,out] from  where to look from; then the first counter of the run
 * @param[out]    to    the last counter of the run
 * @return 1; 0 when there is no such run
 */
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
