/* Plain memories for dma_plain.c. Include before dvm_dma.h, or define DVM_DMA_MEMORY on the command line. */
#ifndef DMA_PLAIN_H
#define DMA_PLAIN_H

#include <stdint.h>

typedef struct plain_memory_t {
  void *address;
  int64_t elements;
} plain_memory_t;

/* What was copied since the start. */
extern int64_t plain_copies, plain_elements;

#endif
