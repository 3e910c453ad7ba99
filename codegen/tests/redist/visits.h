/* An engine for dvm_dma.h that copies nothing: it counts how often the bodies of a generated nest are entered, and how often a
 * call follows before they are entered again. VISIT(k) stands at the start of the body around loop k. */
#ifndef VISITS_H
#define VISITS_H

#include <stdint.h>

typedef struct visits_t {
  int64_t entered[32], used[32];
  int open[32];
} visits_t;

static inline void visits_enter(visits_t *v, int k) {
  v->entered[k]++;
  v->open[k] = 1;
}

static inline void visits_use(visits_t *v) {
  for (int k = 0; k < 32; k++) {
    v->used[k] += v->open[k];
    v->open[k] = 0;
  }
}

#define DVM_DMA_ENGINE visits_t *
#define VISIT(k) visits_enter(dma, k)
#define VISITS_CALL(...) (visits_use(dma), (void)((int64_t[]){__VA_ARGS__}))
#define DMA_SEND(...) VISITS_CALL(__VA_ARGS__)
#define DMA_SEND_2D(...) VISITS_CALL(__VA_ARGS__)
#define DMA_SEND_3D(...) VISITS_CALL(__VA_ARGS__)
#define DMA_RECEIVE(...) VISITS_CALL(__VA_ARGS__)
#define DMA_RECEIVE_2D(...) VISITS_CALL(__VA_ARGS__)
#define DMA_RECEIVE_3D(...) VISITS_CALL(__VA_ARGS__)
#define DMA_WAIT() 0

#endif
