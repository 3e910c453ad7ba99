/* Runs one generated redistribution: main CASE SOURCES EXTENT TARGETS EXTENT PARAMETER...
 * The element at place o of source memory m is m * extent + o + 1. Prints the error, how many copies and elements there
 * were (0 when the engine does not tell), and what arrived: memory, place, value. */
#include <dvm_dma.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* From the generated dispatch. */
int dispatch(int number, DVM_DMA_ENGINE dma, const int64_t *parameter);

typedef struct side_t {
  int64_t memories, extent;
  int64_t **at;
} side_t;

#ifdef DMA_PLAIN_H
static plain_memory_t *memories(side_t *s) {
  plain_memory_t *all = calloc((size_t)s->memories + 1, sizeof *all);
  for (int64_t m = 0; m < s->memories; m++) {
    s->at[m] = calloc((size_t)s->extent + 1, sizeof **s->at);
    all[m] = (plain_memory_t){s->at[m], s->extent};
  }
  return all;
}
#else
static dvm_data_id_t *memories(side_t *s) {
  dvm_data_id_t *all = calloc((size_t)s->memories + 1, sizeof *all);
  for (int64_t m = 0; m < s->memories; m++) {
    size_t size;
    void *at;
    if (dvm_data_allocate((size_t)s->extent * sizeof **s->at, &all[m]) || dvm_data_get(all[m], &at, &size))
      exit(3);
    s->at[m] = at;
  }
  return all;
}
#endif

int main(int argc, char **argv) {
  int64_t value[16] = {0};
  for (int i = 1; i < argc && i < 16; i++)
    value[i] = strtoll(argv[i], NULL, 10);
  side_t source = {value[2], value[3], calloc((size_t)value[2] + 1, sizeof(int64_t *))};
  side_t target = {value[4], value[5], calloc((size_t)value[4] + 1, sizeof(int64_t *))};
#ifdef DMA_PLAIN_H
  plain_engine_t engine = {sizeof(int64_t), memories(&source), memories(&target), value[2], value[4], {0, 0, {0}, {0}}, 0,
                           0, 0, 0};
  plain_engine_t *dma = &engine;
#else
  dvm_dma_t dma;
  if (dvm_init() || dvm_dma_open(&dma, sizeof(int64_t), memories(&source), value[2], memories(&target), value[4])) {
    fprintf(stderr, "%s\n", dvm_last_error());
    return 2;
  }
#endif
  for (int64_t m = 0; m < source.memories; m++)
    for (int64_t o = 0; o < source.extent; o++)
      source.at[m][o] = m * source.extent + o + 1;
  int error = dispatch((int)value[1], dma, value + 6);
#ifdef DMA_PLAIN_H
  printf("%d %" PRId64 " %" PRId64 "\n", error, engine.copies, engine.elements);
#else
  if (error || dvm_dma_close(dma))
    fprintf(stderr, "%s\n", dvm_last_error());
  printf("%d 0 0\n", error);
#endif
  for (int64_t m = 0; m < target.memories; m++)
    for (int64_t o = 0; o < target.extent; o++) {
      int64_t got = target.at[m][o];
      if (got)
        printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", m, o, got);
    }
#ifndef DMA_PLAIN_H
  return dvm_finalize() != DVM_SUCCESS;
#else
  return 0;
#endif
}
