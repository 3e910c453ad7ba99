/* The engine of dma_plain.h: a matched pair is one strided copy, made at once. */
#include "dma_plain.h"

#include <string.h>

static void fail(plain_engine_t *dma, int error) {
  if (!dma->error)
    dma->error = error;
}

/* Whether all places of a side are inside its memory. */
static int inside(const plain_side_t *s, const plain_memory_t *memories, int64_t n) {
  if (s->memory < 0 || s->memory >= n)
    return 0;
  int64_t low = s->offset, high = s->offset;
  for (int i = 0; i < 3; i++) {
    if (s->count[i] < 1)
      return 0;
    int64_t far = (s->count[i] - 1) * s->stride[i];
    if (far < 0)
      low += far;
    else
      high += far;
  }
  return low >= 0 && high < memories[s->memory].elements;
}

void plain_send(plain_engine_t *dma, plain_side_t side) {
  if (dma->open)
    fail(dma, 2);
  dma->pending = side;
  dma->open = 1;
}

void plain_receive(plain_engine_t *dma, plain_side_t to) {
  const plain_side_t from = dma->pending;
  if (!dma->open)
    fail(dma, 3);
  dma->open = 0;
  if (memcmp(from.count, to.count, sizeof from.count))
    fail(dma, 4);
  if (!inside(&from, dma->source, dma->sources) || !inside(&to, dma->target, dma->targets))
    fail(dma, 5);
  if (dma->error)
    return;
  char *target = dma->target[to.memory].address;
  const char *source = dma->source[from.memory].address;
  dma->copies++;
  for (int64_t c = 0; c < to.count[2]; c++)
    for (int64_t b = 0; b < to.count[1]; b++)
      for (int64_t a = 0; a < to.count[0]; a++) {
        int64_t at = from.offset + a * from.stride[0] + b * from.stride[1] + c * from.stride[2];
        int64_t place = to.offset + a * to.stride[0] + b * to.stride[1] + c * to.stride[2];
        memcpy(target + place * (int64_t)dma->element, source + at * (int64_t)dma->element, dma->element);
        dma->elements++;
      }
}

int plain_wait(plain_engine_t *dma) {
  if (dma->open)
    fail(dma, 2);
  int error = dma->error;
  dma->error = dma->open = 0;
  return error;
}
