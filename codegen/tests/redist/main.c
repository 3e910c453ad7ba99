/* Runs one generated redistribution: main CASE SOURCES EXTENT TARGETS EXTENT PARAMETER...
 * The element at place o of source memory m is m * extent + o + 1. Prints what arrived: memory, place, value. */
#include "dma_plain.h"

#include <dvm_dma.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* From the generated dispatch. */
int dispatch(int number, dvm_dma_t *dma, const int64_t *parameter);

static plain_memory_t *memories(int64_t count, int64_t extent, int filled) {
  plain_memory_t *all = calloc((size_t)count + 1, sizeof *all);
  for (int64_t m = 0; m < count; m++) {
    int64_t *place = calloc((size_t)extent + 1, sizeof *place);
    for (int64_t o = 0; filled && o < extent; o++)
      place[o] = m * extent + o + 1;
    all[m] = (plain_memory_t){place, extent};
  }
  return all;
}

int main(int argc, char **argv) {
  int64_t value[16] = {0};
  for (int i = 1; i < argc && i < 16; i++)
    value[i] = strtoll(argv[i], NULL, 10);
  plain_memory_t *source = memories(value[2], value[3], 1), *target = memories(value[4], value[5], 0);
  dvm_dma_t *dma;
  if (dvm_dma_open(&dma, sizeof(int64_t), source, value[2], target, value[4]))
    return 2;
  int error = dispatch((int)value[1], dma, value + 6);
  dvm_dma_close(dma);
  printf("%d %" PRId64 " %" PRId64 "\n", error, plain_copies, plain_elements);
  for (int64_t m = 0; m < value[4]; m++)
    for (int64_t o = 0; o < value[5]; o++) {
      int64_t got = ((int64_t *)target[m].address)[o];
      if (got)
        printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", m, o, got);
    }
  return 0;
}
