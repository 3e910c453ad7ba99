/* An engine of plain memories for dvm_dma.h: include it before that header. */
#ifndef DMA_PLAIN_H
#define DMA_PLAIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct plain_memory_t {
  void *address;
  int64_t elements;
} plain_memory_t;

/* Counts and strides of one side; levels that are not used count 1. */
typedef struct plain_side_t {
  int64_t memory, offset;
  int64_t count[3], stride[3];
} plain_side_t;

typedef struct plain_engine_t {
  size_t element;
  plain_memory_t *source, *target;
  int64_t sources, targets;
  plain_side_t pending;
  int open; /* a send without its receive */
  int error;
  int64_t copies, elements; /* made so far */
} plain_engine_t;

void plain_send(plain_engine_t *dma, plain_side_t side);
void plain_receive(plain_engine_t *dma, plain_side_t side);
int plain_wait(plain_engine_t *dma);

#define DVM_DMA_ENGINE plain_engine_t *
#define PLAIN_SIDE(m, o, c, s, c2, s2, c3, s3) ((plain_side_t){m, o, {c, c2, c3}, {s, s2, s3}})
#define DMA_SEND(m, o, c, s) plain_send(dma, PLAIN_SIDE(m, o, c, s, 1, 0, 1, 0))
#define DMA_SEND_2D(m, o, c, s, c2, s2) plain_send(dma, PLAIN_SIDE(m, o, c, s, c2, s2, 1, 0))
#define DMA_SEND_3D(m, o, c, s, c2, s2, c3, s3) plain_send(dma, PLAIN_SIDE(m, o, c, s, c2, s2, c3, s3))
#define DMA_RECEIVE(m, o, c, s) plain_receive(dma, PLAIN_SIDE(m, o, c, s, 1, 0, 1, 0))
#define DMA_RECEIVE_2D(m, o, c, s, c2, s2) plain_receive(dma, PLAIN_SIDE(m, o, c, s, c2, s2, 1, 0))
#define DMA_RECEIVE_3D(m, o, c, s, c2, s2, c3, s3) plain_receive(dma, PLAIN_SIDE(m, o, c, s, c2, s2, c3, s3))
#define DMA_WAIT() plain_wait(dma)

#endif
