#include "standin.h"
#include "dvm.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

int64_t standin_size[16];
uint64_t standin_seed, standin_ways;
int standin_workers = 1;
int standin_refuse, standin_in_task;
int64_t standin_plain, standin_graphs, standin_tiles, standin_asked;

struct state {
  const dvm_graph_t *graph;
  int64_t total, done, ready_count;
  int64_t *ready;          /* linear numbers of tiles that may run */
  unsigned char *waiting;  /* by tile: predecessors that have not run */
  uint64_t random;
  pthread_mutex_t lock;
  pthread_cond_t change;
};

static int64_t length(const dvm_graph_t *g, int k) { return g->upper[k] - g->lower[k] + 1; }

static void place(const dvm_graph_t *g, int64_t number, int64_t *tile)
{
  for (int k = g->dimension - 1; k >= 0; k--) {
    tile[k] = g->lower[k] + number % length(g, k);
    number /= length(g, k);
  }
}

/* Whether a point of the box is in the graph. */
static int holds(const dvm_graph_t *g, const int64_t *tile)
{
  for (int k = 0; k < g->dimension; k++) {
    int64_t ends[2] = {g->lower[k], g->upper[k]};
    if (k > 0 && g->bounds)
      g->bounds(g->context, k, tile, ends);
    if (tile[k] < ends[0] || tile[k] > ends[1])
      return 0;
  }
  return 1;
}

/* Whether the point one step along a coordinate is in the graph. */
static int holds_beside(const dvm_graph_t *g, const int64_t *tile, int k, int64_t step)
{
  int64_t beside[16];
  for (int j = 0; j < 16; j++)
    beside[j] = tile[j] + (j == k ? step : 0);
  return g->carried && g->carried[k] && beside[k] >= g->lower[k] && beside[k] <= g->upper[k] && holds(g, beside);
}

static int64_t choose(struct state *s)
{
  int64_t at = s->ready_count - 1;
  if (standin_seed) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    at = (int64_t)(s->random % (uint64_t)s->ready_count);
  }
  const int64_t number = s->ready[at];
  s->ready[at] = s->ready[--s->ready_count];
  return number;
}

/* A worker of libdvm was started before the region, and rounds as threads do at their start. */
#if defined(__x86_64__)
struct environment { unsigned short control; unsigned vectors; };
static struct environment exchange(struct environment new)
{
  struct environment old;
  __asm__ volatile("fnstcw %0\n\tstmxcsr %1" : "=m"(old.control), "=m"(old.vectors) : : "memory");
  __asm__ volatile("fldcw %0\n\tldmxcsr %1" : : "m"(new.control), "m"(new.vectors) : "memory");
  return old;
}
static const struct environment start = {0x37f, 0x1f80};
#else
struct environment { char none; };
static struct environment exchange(struct environment new) { return new; }
static const struct environment start;
#endif

static void *work(void *argument)
{
  const struct environment before = exchange(start);
  struct state *s = argument;
  const dvm_graph_t *g = s->graph;
  pthread_mutex_lock(&s->lock);
  while (s->done < s->total) {
    if (s->ready_count == 0) {
      pthread_cond_wait(&s->change, &s->lock);
      continue;
    }
    const int64_t number = choose(s);
    pthread_mutex_unlock(&s->lock);
    int64_t tile[16] = {0};
    place(g, number, tile);
    const int exists = !g->exists || g->exists(g->context, tile);
    if (exists && g->run(g->context, tile) != 0)
      abort();
    pthread_mutex_lock(&s->lock);
    standin_tiles += exists;
    s->done++;
    int64_t stride = 1;
    for (int k = g->dimension - 1; k >= 0; k--) {
      if (holds_beside(g, tile, k, 1) && --s->waiting[number + stride] == 0)
        s->ready[s->ready_count++] = number + stride;
      stride *= length(g, k);
    }
    pthread_cond_broadcast(&s->change);
  }
  pthread_mutex_unlock(&s->lock);
  exchange(before);
  return 0;
}

/* A worker's thread began before the program chose how to round. */
static void *begin(void *argument)
{
#ifdef __x86_64__
  __builtin_ia32_ldmxcsr(0x1f80);
#endif
  return work(argument);
}

const char *dvm_last_error(void) { return "the stand-in was told to refuse"; }

dvm_retcode_t dvm_graph_start(void) { return standin_refuse ? DVM_ERR_NOT_INITIALIZED : DVM_SUCCESS; }

/* Every entry runs as tiles, or in a way by chance. */
dvm_retcode_t dvm_region_enter(dvm_region_t *region, int64_t work, dvm_region_entry_t *entry)
{
  if (region->size != sizeof *region || work < 0)
    abort();
  *entry = (dvm_region_entry_t){ .way = 1, .begun = 1 };
  if (standin_ways) {
    standin_ways ^= standin_ways << 13, standin_ways ^= standin_ways >> 7, standin_ways ^= standin_ways << 17;
    entry->way = standin_ways % 2;
    entry->begun = standin_ways / 2 % 2;
    standin_plain += !entry->way;
    /* As libdvm: some entries after one that runs the original loops need not ask. */
    if (!entry->way && !entry->begun && region->phase < 0)
      region->unasked[63 - __builtin_clzll((unsigned long long)work | 1)] = standin_ways / 4 % 3;
  }
  return DVM_SUCCESS;
}

/* Regions whose time is not worth libdvm's start run their tiles too: the environment asks for that. With STANDIN_ALONE
   it does not, and time passes at the looks at the clock alone: libdvm is worth its start at that one of them. */
static int alone;
extern int setenv(const char *name, const char *value, int overwrite);
__attribute__((constructor)) static void ask(void)
{
  const char *const looks = getenv("STANDIN_ALONE");
  alone = looks ? atoi(looks) : 0;
  if (!alone)
    setenv("DVM_TUNE", "1", 0);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
  static int64_t now = 1;
  (void)clock;
  now += alone ? 10000000 / alone : 1;
  *time = (struct timespec){ .tv_sec = (time_t)(now / 1000000000), .tv_nsec = (long)(now % 1000000000) };
  return 0;
}

dvm_retcode_t dvm_region_waits(int64_t work, int *waits)
{
  (void)work, *waits = alone != 0;
  standin_asked++;
  return DVM_SUCCESS;
}

dvm_retcode_t dvm_region_leave(dvm_region_t *region, const dvm_region_entry_t *entry)
{
  if (region->size != sizeof *region || entry->begun != 1)
    abort();
  return DVM_SUCCESS;
}

dvm_retcode_t dvm_region_run(const dvm_graph_t *graph)
{
  if (standin_in_task)
    return DVM_ERR_IN_TASK;
  struct state s = { .graph = graph, .total = 1, .random = standin_seed * 0x9E3779B97F4A7C15u + 1 };
  for (int k = 0; k < graph->dimension; k++)
    s.total *= length(graph, k) > 0 ? length(graph, k) : 0;
  s.ready = malloc(sizeof *s.ready * (size_t)(s.total + 1));
  s.waiting = calloc((size_t)s.total + 1, 1);
  int64_t outside = 0;
  for (int64_t number = s.total - 1; number >= 0; number--) {
    int64_t tile[16] = {0};
    place(graph, number, tile);
    if (!holds(graph, tile)) {
      outside++;
      continue;
    }
    for (int k = 0; k < graph->dimension; k++)
      s.waiting[number] += holds_beside(graph, tile, k, -1);
    if (s.waiting[number] == 0)
      s.ready[s.ready_count++] = number;
  }
  s.total -= outside;
  pthread_mutex_init(&s.lock, 0);
  pthread_cond_init(&s.change, 0);
  pthread_t threads[64];
  for (int w = 1; w < standin_workers; w++)
    pthread_create(&threads[w], 0, begin, &s);
  work(&s);
  for (int w = 1; w < standin_workers; w++)
    pthread_join(threads[w], 0);
  free(s.ready);
  free(s.waiting);
  standin_graphs++;
  return DVM_SUCCESS;
}

dvm_retcode_t dvm_region_sizes(dvm_region_t *region, int dimension, const int64_t *extent, const int *carried,
    int64_t (*footprint)(void *, const int64_t *), void *context, int64_t *sizes)
{
  (void)region, (void)extent, (void)carried;
  for (int k = 0; k < dimension; k++)
    if (sizes[k] <= 0)
      sizes[k] = standin_size[k] > 0 ? standin_size[k] : 32;
  if (footprint && footprint(context, sizes) < 0)
    return DVM_ERR_ARGUMENT;
  return DVM_SUCCESS;
}

/* There is one process. */
dvm_retcode_t dvm_across_known(const void *region)
{
  (void)region;
  return DVM_SUCCESS;
}

dvm_retcode_t dvm_across_serve(void (*caller)(void))
{
  (void)caller;
  return DVM_SUCCESS;
}

dvm_retcode_t dvm_across_loop(int begins)
{
  (void)begins;
  return DVM_SUCCESS;
}
