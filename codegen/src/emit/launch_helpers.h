#ifndef DVM__LAUNCH_HELPERS
#define DVM__LAUNCH_HELPERS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-macros"
DVM__QUIET
#pragma pack(push)
#pragma pack()
#pragma GCC visibility push(default)
/* How a region is entered, and how its tiles are run. */
/* Starts libdvm when nobody has; zero: it runs. Also nonzero where floating point may trap. If it cannot, the first region of the file says why. */
__attribute__((__unused__)) static int dvm__cannot_start(const char *dvm__name, int dvm__line)
{
  static int dvm__told;
  if (dvm__traps(dvm__get_arithmetic()))
    return dvm__sequential(dvm__name, dvm__line, "floating point may trap");
  if (dvm__graph_start() == dvm__success)
    return 0;
  if (!dvm__told) {
    dvm__told = 1;
    dvm__print(dvm__errors, "libdvm: region %s runs sequentially: %s\n", dvm__name, dvm__last_error());
  }
  return 1;
}

/* Whether an entry runs the original loops without asking. */
static __inline__ int dvm__unasked(struct dvm__record *dvm__record, dvm__int64 dvm__work)
{
  unsigned *const dvm__left = &dvm__record->dvm__unasked[63 - __builtin_clzll((unsigned long long)dvm__work | 1)];
  const unsigned dvm__now = __atomic_load_n(dvm__left, __ATOMIC_RELAXED);
  if (dvm__now == 0 || dvm__checks())
    return 0;
  __atomic_store_n(dvm__left, dvm__now - 1, __ATOMIC_RELAXED);
  return 1;
}

/* Iterations and nanoseconds of a file's regions before libdvm is asked whether it runs: a few milliseconds. */
#define DVM__LITTLE_WORK (16 << 20)
#define DVM__LITTLE_TIME 2000000
/* Nanoseconds of a file's regions that are worth libdvm's start: two workers win it back in as many. */
#define DVM__PATIENCE 10000000

static __inline__ int dvm__begins(const char *dvm__text, const char *dvm__word)
{
  while (*dvm__word && *dvm__text == *dvm__word)
    dvm__text++, dvm__word++;
  return *dvm__word == 0;
}

/* Whether the environment may ask libdvm for more than a number of workers: libdvm itself knows for sure. */
__attribute__((__unused__, __noinline__)) static int dvm__asked(void)
{
  char **dvm__all = dvm__environment;
  for (; dvm__all && *dvm__all; dvm__all++)
    if (dvm__begins(*dvm__all, "DVM_") && !dvm__begins(*dvm__all, "DVM_WORKERS=") && !dvm__begins(*dvm__all, "DVM_VERBOSE="))
      return 1;
  return 0;
}

/* Whether libdvm waits to start: the regions so far had less work than that. The first few milliseconds of a file's
   regions do not even ask: the first call of a library costs as much as a small region. */
static __inline__ int dvm__waits(dvm__int64 dvm__work)
{
  static int dvm__started;
  static dvm__int64 dvm__entered;
  int dvm__waits = 0;
  if (__atomic_load_n(&dvm__started, __ATOMIC_RELAXED) || dvm__checks())
    return 0;
  dvm__work = dvm__sum(__atomic_load_n(&dvm__entered, __ATOMIC_RELAXED), dvm__max(dvm__work, 1));
  if (dvm__work < DVM__LITTLE_WORK && !dvm__asked()) {
    __atomic_store_n(&dvm__entered, dvm__work, __ATOMIC_RELAXED);
    return 1;
  }
  if (dvm__region_waits(dvm__work, &dvm__waits) == dvm__success && dvm__waits) {
    __atomic_store_n(&dvm__entered, 0, __ATOMIC_RELAXED);
    return 1;
  }
  __atomic_store_n(&dvm__started, 1, __ATOMIC_RELAXED);
  return 0;
}

__attribute__((__unused__)) static dvm__int64 dvm__nanoseconds(void)
{
  long dvm__time[2] = {0, 0};
  dvm__clock(1, dvm__time);
  return dvm__time[0] * (dvm__int64)1000000000 + dvm__time[1];
}

/* Begins a region whose iterations may take any time: the calling thread runs its tiles, without libdvm, until the time
   that such regions of the file have had is worth libdvm's start. Zero: it is. */
static dvm__int64 dvm__spent;
__attribute__((__unused__)) static int dvm__begin_alone(struct dvm__tiles *dvm__tiles)
{
  const dvm__int64 dvm__before = __atomic_load_n(&dvm__spent, __ATOMIC_RELAXED);
  if (dvm__before >= DVM__PATIENCE || dvm__checks() || dvm__asked() || dvm__traps(dvm__get_arithmetic()))
    return 0;
  dvm__tiles->dvm__begun = dvm__nanoseconds() - dvm__before;
  dvm__tiles->dvm__points = dvm__tiles->dvm__until = 16;
  return dvm__tiles->dvm__alone = 1;
}

/* Looks at the clock: whether the calling thread goes on alone, and for how many further points. */
__attribute__((__unused__, __cold__, __noinline__)) static void dvm__look(struct dvm__tiles *dvm__tiles, const struct dvm__record *dvm__record)
{
  const dvm__int64 dvm__took = dvm__max(1, dvm__nanoseconds() - dvm__tiles->dvm__begun), dvm__left = DVM__PATIENCE - dvm__took;
  int dvm__waits = 1;
  if (dvm__left > 0 && dvm__took > DVM__LITTLE_TIME && dvm__region_waits(1, &dvm__waits) != dvm__success)
    dvm__waits = 0;
  if (dvm__left > 0 && dvm__waits) {
    /* As many points again, or what they may take. */
    dvm__tiles->dvm__until =
        dvm__max(dvm__tiles->dvm__points / (1 + dvm__took / dvm__left), dvm__tiles->dvm__points / 64) + 1;
    dvm__tiles->dvm__points = dvm__sum(dvm__tiles->dvm__points, dvm__tiles->dvm__until);
    return;
  }
  __atomic_store_n(&dvm__spent, DVM__PATIENCE, __ATOMIC_RELAXED);
  dvm__tiles->dvm__alone = 0;
  if (dvm__cannot_start(dvm__record->dvm__name, (int)dvm__record->dvm__line))
    dvm__tiles->dvm__serial = 1;
}

/* Ends such a region. */
__attribute__((__unused__)) static void dvm__end_alone(const struct dvm__tiles *dvm__tiles)
{
  if (dvm__tiles->dvm__alone)
    __atomic_store_n(&dvm__spent, dvm__nanoseconds() - dvm__tiles->dvm__begun, __ATOMIC_RELAXED);
}

/* Begins an entry; zero: it runs the original loops, or one tile. Where regions are checked, their tiles run. */
static __inline__ int dvm__enter(struct dvm__record *dvm__record, dvm__int64 dvm__work, struct dvm__entry *dvm__entry)
{
  return dvm__checks() || (dvm__region_enter(dvm__record, dvm__work, dvm__entry) == dvm__success && dvm__entry->dvm__way != 0);
}

/* Ends an entry. */
static __inline__ void dvm__leave(struct dvm__record *dvm__record, const struct dvm__entry *dvm__entry)
{
  if (dvm__entry->dvm__begun != 0)
    dvm__region_leave(dvm__record, dvm__entry);
}

/* Runs the tiles of the box up to upper in lexicographic order, each row between its own ends. */
__attribute__((__unused__)) static void dvm__in_order(void *dvm__context, const struct dvm__tiles *dvm__tiles,
    int dvm__dimension, const dvm__int64 *dvm__upper)
{
  dvm__int64 dvm__tile[DVM__DIMENSIONS] = {0}, dvm__last[DVM__DIMENSIONS] = {0};
  int dvm__k = 0;
  while (dvm__k >= 0) {
    if (dvm__k < dvm__dimension) {
      /* Down to the next coordinate, at its first value. */
      dvm__int64 dvm__ends[2] = {0, dvm__upper[dvm__k]};
      if (dvm__k > 0 && dvm__tiles->dvm__bounds)
        dvm__tiles->dvm__bounds(dvm__context, dvm__k, dvm__tile, dvm__ends);
      dvm__tile[dvm__k] = dvm__ends[0];
      dvm__last[dvm__k] = dvm__ends[1];
      if (dvm__ends[0] <= dvm__ends[1]) {
        dvm__k++;
        continue;
      }
    } else {
      dvm__tiles->dvm__run(dvm__context, dvm__tile);
    }
    for (dvm__k--; dvm__k >= 0 && dvm__tile[dvm__k] == dvm__last[dvm__k]; dvm__k--)
      ;
    if (dvm__k >= 0)
      dvm__tile[dvm__k++]++;
  }
}

/* Runs single iterations from the last to the first, if none waits for another one: a false `independent` shows. */
__attribute__((__unused__, __cold__, __noinline__)) static int dvm__backwards(void *dvm__context,
    struct dvm__tiles *dvm__tiles, int dvm__dimension, const dvm__int64 *dvm__extent, const int *dvm__carried)
{
  dvm__int64 dvm__tile[DVM__DIMENSIONS] = {0};
  int dvm__k;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    if (dvm__carried[dvm__k] || dvm__extent[dvm__k] <= 0)
      return 0;
    dvm__tiles->dvm__size[dvm__k] = 1;
    dvm__tile[dvm__k] = dvm__extent[dvm__k] - 1;
  }
  dvm__k = 0;
  while (dvm__k >= 0) {
    dvm__tiles->dvm__run(dvm__context, dvm__tile);
    for (dvm__k = dvm__dimension - 1; dvm__k >= 0 && dvm__tile[dvm__k] == 0; dvm__k--)
      dvm__tile[dvm__k] = dvm__extent[dvm__k] - 1;
    if (dvm__k >= 0)
      dvm__tile[dvm__k]--;
  }
  return 1;
}

__attribute__((__unused__)) static void dvm__run_tiles(struct dvm__record *dvm__record, int dvm__dimension,
    const dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried,
    int (*dvm__run)(void *, const dvm__int64 *), dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *),
    struct dvm__tiles *dvm__tiles, void *dvm__context);

/* Runs iterations of a band in the calling thread, in order, until all have run or nobody runs alone any more. A tile has
   as many blocks of values of the coordinate `depth` as there are points left before the next look at the clock, and all
   values of those inside; where one block has too many points, it is taken apart. Whole blocks: what is left begins where
   a block does. first becomes where the band goes on; zero: it does. */
__attribute__((__unused__, __noinline__)) static int dvm__run_alone(struct dvm__record *dvm__record, int dvm__dimension,
    dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried, int (*dvm__run)(void *, const dvm__int64 *),
    dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *), struct dvm__tiles *dvm__tiles, void *dvm__context,
    int dvm__depth)
{
  static const dvm__int64 dvm__lower[DVM__DIMENSIONS] = {0};
  const dvm__int64 dvm__block = dvm__tiles->dvm__multiples ? dvm__max(1, dvm__tiles->dvm__multiples[dvm__depth]) : 1;
  dvm__int64 dvm__inside = dvm__block, dvm__values;
  int dvm__k;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++)
    if (dvm__k != dvm__depth)
      dvm__inside = dvm__product(dvm__inside, dvm__last[dvm__k] - dvm__first[dvm__k] + 1);
  while (dvm__tiles->dvm__alone && dvm__first[dvm__depth] <= dvm__last[dvm__depth]) {
    if (dvm__depth + 1 < dvm__dimension && dvm__inside > dvm__tiles->dvm__until) {
      dvm__int64 dvm__from[DVM__DIMENSIONS], dvm__to[DVM__DIMENSIONS];
      for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
        dvm__from[dvm__k] = dvm__first[dvm__k];
        dvm__to[dvm__k] = dvm__last[dvm__k];
      }
      dvm__to[dvm__depth] = dvm__min(dvm__last[dvm__depth], dvm__first[dvm__depth] + dvm__block - 1);
      if (!dvm__run_alone(dvm__record, dvm__dimension, dvm__from, dvm__to, dvm__carried, dvm__run, dvm__footprint,
              dvm__tiles, dvm__context, dvm__depth + 1))
        dvm__run_tiles(dvm__record, dvm__dimension, dvm__from, dvm__to, dvm__carried, dvm__run, dvm__footprint, dvm__tiles,
            dvm__context);
      dvm__first[dvm__depth] = dvm__to[dvm__depth] + 1;
      continue;
    }
    dvm__values = dvm__product(dvm__block, dvm__max(1, dvm__tiles->dvm__until / dvm__inside));
    dvm__values = dvm__min(dvm__values, dvm__last[dvm__depth] - dvm__first[dvm__depth] + 1);
    for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
      dvm__tiles->dvm__first[dvm__k] = dvm__first[dvm__k];
      dvm__tiles->dvm__size[dvm__k] = dvm__k == dvm__depth ? dvm__values : dvm__last[dvm__k] - dvm__first[dvm__k] + 1;
    }
    dvm__run(dvm__context, dvm__lower);
    dvm__first[dvm__depth] += dvm__values;
    dvm__tiles->dvm__until -= dvm__product(dvm__values, dvm__inside) / dvm__block;
    if (dvm__tiles->dvm__until <= 0)
      dvm__look(dvm__tiles, dvm__record);
  }
  return dvm__first[dvm__depth] > dvm__last[dvm__depth];
}

/* Runs the iterations of the band coordinates first .. last: in this thread, or as a graph whose tiles wait along the
   carried coordinates. The context begins with the tiles. */
__attribute__((__unused__)) static void dvm__run_tiles(struct dvm__record *dvm__record, int dvm__dimension,
    const dvm__int64 *dvm__first, const dvm__int64 *dvm__last, const int *dvm__carried,
    int (*dvm__run)(void *, const dvm__int64 *), dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *),
    struct dvm__tiles *dvm__tiles, void *dvm__context)
{
  int dvm__single = 1, dvm__k;
  if (dvm__tiles->dvm__alone) {
    dvm__int64 dvm__from[DVM__DIMENSIONS];
    for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
      dvm__from[dvm__k] = dvm__first[dvm__k];
      if (dvm__first[dvm__k] > dvm__last[dvm__k])
        return;
    }
    dvm__tiles->dvm__run = dvm__run;
    if (!dvm__run_alone(dvm__record, dvm__dimension, dvm__from, dvm__last, dvm__carried, dvm__run, dvm__footprint,
            dvm__tiles, dvm__context, 0))
      dvm__run_tiles(dvm__record, dvm__dimension, dvm__from, dvm__last, dvm__carried, dvm__run, dvm__footprint, dvm__tiles,
          dvm__context);
    return;
  }
  dvm__int64 dvm__extent[DVM__DIMENSIONS] = {0}, dvm__lower[DVM__DIMENSIONS] = {0}, dvm__upper[DVM__DIMENSIONS] = {0};
  dvm__int64 *const dvm__size = dvm__tiles->dvm__size;
  dvm__int64 dvm__work = 1;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    dvm__extent[dvm__k] = dvm__last[dvm__k] - dvm__first[dvm__k] + 1;
    if (dvm__extent[dvm__k] <= 0)
      return;
    dvm__work = dvm__product(dvm__work, dvm__extent[dvm__k]);
    dvm__tiles->dvm__first[dvm__k] = dvm__first[dvm__k];
    dvm__size[dvm__k] = dvm__max(dvm__tiles->dvm__fixed[dvm__k], 0);
    if (dvm__size[dvm__k] == 0 && dvm__tiles->dvm__multiples)
      dvm__size[dvm__k] = -dvm__tiles->dvm__multiples[dvm__k];
  }
  if (dvm__tiles->dvm__across) {
    dvm__tiles->dvm__run = dvm__run;
    dvm__tiles->dvm__take(dvm__record, dvm__dimension, dvm__extent, dvm__carried, dvm__footprint, dvm__tiles, dvm__context);
    return;
  }
  struct dvm__entry dvm__entry = {0};
  const int dvm__several = dvm__tiles->dvm__serial != 1 && dvm__enter(dvm__record, dvm__work, &dvm__entry) &&
      dvm__region_sizes(dvm__record, dvm__dimension, dvm__extent, dvm__carried, dvm__footprint, dvm__context, dvm__size) ==
          dvm__success;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    if (dvm__tiles->dvm__fixed[dvm__k] > 0)
      dvm__size[dvm__k] = dvm__tiles->dvm__fixed[dvm__k];
    else if (!dvm__several)
      dvm__size[dvm__k] = dvm__extent[dvm__k];
    dvm__size[dvm__k] = dvm__max(1, dvm__min(dvm__size[dvm__k], dvm__extent[dvm__k]));
    dvm__upper[dvm__k] = (dvm__extent[dvm__k] - 1) / dvm__size[dvm__k];
    dvm__single = dvm__single && dvm__upper[dvm__k] == 0;
  }
  dvm__tiles->dvm__run = dvm__run;
  if (dvm__tiles->dvm__serial == 2 && dvm__backwards(dvm__context, dvm__tiles, dvm__dimension, dvm__extent, dvm__carried))
    return;
  if (dvm__single) {
    dvm__run(dvm__context, dvm__lower);
    dvm__leave(dvm__record, &dvm__entry);
    return;
  }
  if (dvm__several && !dvm__tiles->dvm__serial) {
    dvm__tiles->dvm__arithmetic = dvm__get_arithmetic();
    struct dvm__graph dvm__graph = {0};
    dvm__graph.dvm__bytes = sizeof dvm__graph;
    dvm__graph.dvm__name = dvm__record->dvm__name;
    dvm__graph.dvm__dimension = dvm__dimension;
    dvm__graph.dvm__lower = dvm__lower;
    dvm__graph.dvm__upper = dvm__upper;
    dvm__graph.dvm__carried = dvm__carried;
    dvm__graph.dvm__run = DVM__RUN_TILE;
    dvm__graph.dvm__context = dvm__context;
    dvm__graph.dvm__bounds = dvm__tiles->dvm__bounds;
    dvm__graph.dvm__exists = dvm__tiles->dvm__exists;
    const int dvm__code = dvm__region_run(&dvm__graph);
    if (dvm__code == dvm__success) {
      dvm__leave(dvm__record, &dvm__entry);
      return;
    }
    if (dvm__code != dvm__in_task && dvm__code != dvm__not_initialized && dvm__code != dvm__argument) {
      /* Some tiles have run and the arrays are half done: neither going on nor starting again would be right. */
      dvm__print(dvm__errors, "%s: the tiles could not be run to the end (libdvm's code %d)\n", dvm__record->dvm__name,
          dvm__code);
      __builtin_abort();
    }
    /* Nothing has run: for example in a task, where nothing can be waited for. */
  }
  dvm__in_order(dvm__context, dvm__tiles, dvm__dimension, dvm__upper);
  dvm__leave(dvm__record, &dvm__entry);
}
#pragma GCC visibility pop
#pragma pack(pop)
DVM__LOUD
#pragma GCC diagnostic pop
#endif
