/* The functions of dvm_dma.h on plain memories: a matched pair is one strided copy, made at once. */
#include "dma_plain.h"

#include <dvm_dma.h>
#include <stdlib.h>
#include <string.h>

typedef struct side_t {
  int64_t memory, offset;
  int64_t count[3], stride[3];
} side_t;

struct dvm_dma_t {
  size_t element;
  plain_memory_t *source, *target;
  int64_t sources, targets;
  side_t pending;
  int open; /* a send without its receive */
  int error;
};

int dvm_dma_open(dvm_dma_t **dma, size_t element, plain_memory_t *source, int64_t sources, plain_memory_t *target,
                 int64_t targets) {
  *dma = calloc(1, sizeof **dma);
  if (!*dma)
    return 1;
  **dma = (dvm_dma_t){element, source, target, sources, targets, {0}, 0, 0};
  return 0;
}

static void fail(dvm_dma_t *dma, int error) {
  if (!dma->error)
    dma->error = error;
}

/* Whether all places of a side are inside its memory. */
static int inside(const side_t *s, const plain_memory_t *memories, int64_t n) {
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

static void send(dvm_dma_t *dma, side_t side) {
  if (dma->open)
    fail(dma, 2);
  dma->pending = side;
  dma->open = 1;
}

static void receive(dvm_dma_t *dma, side_t to) {
  const side_t from = dma->pending;
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
  plain_copies++;
  for (int64_t c = 0; c < to.count[2]; c++)
    for (int64_t b = 0; b < to.count[1]; b++)
      for (int64_t a = 0; a < to.count[0]; a++) {
        int64_t at = from.offset + a * from.stride[0] + b * from.stride[1] + c * from.stride[2];
        int64_t place = to.offset + a * to.stride[0] + b * to.stride[1] + c * to.stride[2];
        memcpy(target + place * (int64_t)dma->element, source + at * (int64_t)dma->element, dma->element);
        plain_elements++;
      }
}

int64_t plain_copies, plain_elements;

#define SIDE(n2, s2, n3, s3) ((side_t){memory, offset, {count, n2, n3}, {stride, s2, s3}})

void dvm_dma_send(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride) {
  send(dma, SIDE(1, 0, 1, 0));
}
void dvm_dma_receive(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride) {
  receive(dma, SIDE(1, 0, 1, 0));
}
void dvm_dma_send_2d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                     int64_t stride2) {
  send(dma, SIDE(count2, stride2, 1, 0));
}
void dvm_dma_receive_2d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                        int64_t stride2) {
  receive(dma, SIDE(count2, stride2, 1, 0));
}
void dvm_dma_send_3d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                     int64_t stride2, int64_t count3, int64_t stride3) {
  send(dma, SIDE(count2, stride2, count3, stride3));
}
void dvm_dma_receive_3d(dvm_dma_t *dma, int64_t memory, int64_t offset, int64_t count, int64_t stride, int64_t count2,
                        int64_t stride2, int64_t count3, int64_t stride3) {
  receive(dma, SIDE(count2, stride2, count3, stride3));
}

int dvm_dma_wait(dvm_dma_t *dma) {
  if (dma->open)
    fail(dma, 2);
  int error = dma->error;
  dma->error = dma->open = 0;
  return error;
}

void dvm_dma_close(dvm_dma_t *dma) { free(dma); }
