/* One matrix from one layout to another, and memcpy of the same bytes, in turn. Usage: redistribute CASE N WORKERS RUNS
 *
 * Prints for each run "memcpy SECONDS redistribute SECONDS". The threads of memcpy are as many as the workers, each copies
 * its part of the memories. All pages are touched before anything is measured. Ends with an error when an element is not
 * where it belongs. */
#define _GNU_SOURCE
#include <dvm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                                 \
  do {                                                                              \
    if ((call) != DVM_SUCCESS) {                                                    \
      fprintf(stderr, "line %d: %s\n", __LINE__, dvm_last_error());                 \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

enum { MOST = 64 };

typedef struct side_t {
  dvm_distribution_t distribution;
  int64_t memories;
  dvm_data_id_t id[MOST];
  double *at[MOST];
  int64_t size[MOST];
} side_t;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void memories(side_t *s) {
  CHECK(dvm_distribution_memories(s->distribution, &s->memories));
  if (s->memories > MOST)
    exit(2);
  for (int64_t m = 0; m < s->memories; m++) {
    size_t size;
    void *at;
    CHECK(dvm_distribution_size(s->distribution, m, &s->size[m]));
    CHECK(dvm_data_allocate((size_t)s->size[m] * sizeof(double), &s->id[m]));
    CHECK(dvm_data_get(s->id[m], &at, &size));
    s->at[m] = at;
    memset(at, 0, size);
  }
}

/* The threads of memcpy: thread k copies its share of each pair of memories, seen as one list of bytes. */
typedef struct copier_t {
  pthread_barrier_t *begin, *end;
  const side_t *from, *to;
  int64_t first, last; /* elements of the whole list */
  int stop;
} copier_t;

static void copy_part(const copier_t *c) {
  /* The lists of both sides have one length but different borders: copy up to the nearer one. */
  int64_t at = 0, s = 0, t = 0, ds = 0, dt = 0;
  while (at < c->last) {
    int64_t n = c->from->size[s] - ds, m = c->to->size[t] - dt;
    if (m < n)
      n = m;
    int64_t a = at < c->first ? c->first - at : 0, b = n < c->last - at ? n : c->last - at;
    if (a < b)
      memcpy(c->to->at[t] + dt + a, c->from->at[s] + ds + a, (size_t)(b - a) * sizeof(double));
    at += n, ds += n, dt += n;
    if (ds == c->from->size[s])
      s++, ds = 0;
    if (dt == c->to->size[t])
      t++, dt = 0;
  }
}

static void *copier(void *context) {
  copier_t *c = context;
  for (;;) {
    pthread_barrier_wait(c->begin);
    if (c->stop)
      return NULL;
    copy_part(c);
    pthread_barrier_wait(c->end);
  }
}

static void distributions(const char *name, int64_t n, dvm_distribution_t *source, dvm_distribution_t *target) {
  int64_t size[2] = {n, n}, whole[2] = {0, 0};
  if (!strcmp(name, "rows-to-columns")) {
    CHECK(dvm_distribution_block_cyclic(2, size, whole, (int64_t[]){4, 1}, source));
    CHECK(dvm_distribution_block_cyclic(2, size, whole, (int64_t[]){1, 4}, target));
  } else if (!strcmp(name, "64-to-96")) {
    CHECK(dvm_distribution_block_cyclic(2, size, (int64_t[]){64, 64}, (int64_t[]){2, 2}, source));
    CHECK(dvm_distribution_block_cyclic(2, size, (int64_t[]){96, 96}, (int64_t[]){2, 2}, target));
  } else if (!strcmp(name, "transposed")) {
    CHECK(dvm_distribution_block_cyclic(2, size, (int64_t[]){64, 64}, (int64_t[]){2, 2}, source));
    CHECK(dvm_distribution_block_cyclic(2, size, (int64_t[]){64, 64}, (int64_t[]){2, 2}, target));
    CHECK(dvm_distribution_set_order(*target, (int[]){1, 0}, 2));
  } else if (!strcmp(name, "whole-transposed")) {
    CHECK(dvm_distribution_block_cyclic(2, size, whole, (int64_t[]){1, 1}, source));
    CHECK(dvm_distribution_block_cyclic(2, size, whole, (int64_t[]){1, 1}, target));
    CHECK(dvm_distribution_set_order(*target, (int[]){1, 0}, 2));
  } else {
    fprintf(stderr, "no case '%s'\n", name);
    exit(2);
  }
}

/* Every element of a matrix knows its indices: found back through the descriptors of a plan to one memory. */
static void fill(side_t *s, int64_t n, int read) {
  dvm_distribution_t one;
  dvm_redistribution_t plan;
  dvm_data_id_t whole;
  void *at;
  size_t bytes, element = sizeof(double);
  CHECK(dvm_distribution_block_cyclic(2, (int64_t[]){n, n}, (int64_t[]){0, 0}, (int64_t[]){1, 1}, &one));
  CHECK(dvm_data_allocate((size_t)(n * n) * element, &whole));
  CHECK(dvm_data_get(whole, &at, &bytes));
  double *a = at;
  if (read) {
    CHECK(dvm_redistribution_plan(s->distribution, one, 0, &plan));
    CHECK(dvm_redistribute(plan, 1, &element, s->id, &whole));
    for (int64_t k = 0; k < n * n; k++)
      if (a[k] != (double)k + 1) {
        fprintf(stderr, "element (%ld, %ld) is wrong\n", (long)(k / n), (long)(k % n));
        exit(1);
      }
  } else {
    for (int64_t k = 0; k < n * n; k++)
      a[k] = (double)k + 1;
    CHECK(dvm_redistribution_plan(one, s->distribution, 0, &plan));
    CHECK(dvm_redistribute(plan, 1, &element, &whole, s->id));
  }
  CHECK(dvm_data_put(whole));
  CHECK(dvm_data_relax(whole));
  CHECK(dvm_redistribution_free(plan));
  CHECK(dvm_distribution_free(one));
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  const int64_t n = atoll(argv[2]);
  const int workers = atoi(argv[3]), runs = atoi(argv[4]);
  setenv("DVM_WORKERS", argv[3], 1);
  CHECK(dvm_init());
  static side_t source, target;
  distributions(argv[1], n, &source.distribution, &target.distribution);
  dvm_redistribution_t plan;
  double begin = now();
  CHECK(dvm_redistribution_plan(source.distribution, target.distribution, 0, &plan));
  double planned = now() - begin;
  memories(&source);
  memories(&target);
  fill(&source, n, 0);

  pthread_barrier_t start, end;
  pthread_barrier_init(&start, NULL, (unsigned)workers + 1);
  pthread_barrier_init(&end, NULL, (unsigned)workers + 1);
  copier_t *copiers = calloc((size_t)workers, sizeof *copiers);
  pthread_t *threads = calloc((size_t)workers, sizeof *threads);
  for (int k = 0; k < workers; k++) {
    copiers[k] = (copier_t){&start, &end, &source, &target, n * n * k / workers, n * n * (k + 1) / workers, 0};
    pthread_create(&threads[k], NULL, copier, &copiers[k]);
  }
  const size_t element = sizeof(double);
  for (int run = -1; run < runs; run++) {
    double t0 = now();
    pthread_barrier_wait(&start);
    pthread_barrier_wait(&end);
    double t1 = now();
    CHECK(dvm_redistribute(plan, 1, &element, source.id, target.id));
    double t2 = now();
    if (run >= 0)
      printf("memcpy %.9f redistribute %.9f\n", t1 - t0, t2 - t1);
  }
  for (int k = 0; k < workers; k++)
    copiers[k].stop = 1;
  pthread_barrier_wait(&start);
  for (int k = 0; k < workers; k++)
    pthread_join(threads[k], NULL);
  fill(&target, n, 1);
  printf("plan %.9f\n", planned);
  CHECK(dvm_finalize());
  return 0;
}
