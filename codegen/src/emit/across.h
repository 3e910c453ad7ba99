#ifndef DVM__ACROSS_HELPERS
#define DVM__ACROSS_HELPERS
DVM__QUIET
#pragma pack(push)
#pragma pack()
#pragma GCC visibility push(default)
/* Regions on several processes: dvm_across_t of dvm.h and what it points to. */
struct dvm__across_flow {
  int dvm__from, dvm__to; /* phases; -1: after the region */
  void (*dvm__rows)(void *, const dvm__int64 *, const dvm__int64 *, const dvm__int64 *, const dvm__int64 *,
      void (*)(void *, int, dvm__int64, dvm__int64), void *);
};
struct dvm__across_phase {
  int dvm__count;
  const int *dvm__places;
  int dvm__flags; /* 1: the tiles are no box; 2: values go to near tiles only, along the first place */
};
struct dvm__across_array {
  void *dvm__base;
  __SIZE_TYPE__ dvm__element;
  dvm__int64 dvm__begin, dvm__end; /* the bytes that the region touches, from the base on */
  int dvm__flags; /* 1: the text names the array itself; 2: it may stay on the processes; 4: in a loop of regions */
};
struct dvm__across_member {
  __SIZE_TYPE__ dvm__at, dvm__bytes;
};
struct dvm__across {
  __SIZE_TYPE__ dvm__bytes;
  const char *dvm__name;
  int dvm__flows_count, dvm__phases_count, dvm__arrays_count;
  const struct dvm__across_flow *dvm__flows;
  const struct dvm__across_phase *dvm__phases;
  int (*dvm__body)(void *, void *);
  __SIZE_TYPE__ dvm__context;
  int dvm__members_count;
  const struct dvm__across_member *dvm__members;
  void (*dvm__places)(void *, void **);
  int dvm__buffers, dvm__ahead; /* steps; 0, -1: as the run-time likes */
  /* Without the clause `across`: whether processes serve, the iterations, and what is learnt; else NULL. */
  int *dvm__offered;
  dvm__int64 (*dvm__work)(const void *);
  struct dvm__record *dvm__record;
};
extern int dvm__across_known(const struct dvm__across *) __asm__("dvm_across_known");
extern int dvm__across_serve(void (*)(void)) __asm__("dvm_across_serve");
extern int dvm__across_begins(int *) __asm__("dvm_across_begins");
extern int dvm__across_run(const struct dvm__across *, void *, const struct dvm__across_array *, __UINT64_TYPE__, int, int *)
    __asm__("dvm_across_run");
extern int dvm__across_loop(int) __asm__("dvm_across_loop");
extern int dvm__across_sizes(void *, int, dvm__int64 *) __asm__("dvm_across_sizes");
extern int dvm__across_graph(void *, const struct dvm__graph *, int, int, const dvm__int64 *, const dvm__int64 *,
    const dvm__int64 *) __asm__("dvm_across_graph");

/* Before main, when the regions of all files are known: in a program that leaves the start of libdvm to its regions, all
   processes but the first serve, and do not return. */
__attribute__((__constructor__, __used__)) static void dvm__before_main(void)
{
  (void)dvm__across_serve(dvm__before_main);
}

/* Whether regions run on several processes; 2: this one alone runs main, and is to outlive the others. */
static __inline__ int dvm__is_across(void)
{
  int dvm__is = 0;
  return dvm__across_begins(&dvm__is) == dvm__success ? dvm__is : 0;
}

/* The same for a region without the clause `across`. */
static __inline__ int dvm__offers(const int *dvm__offered)
{
  return __builtin_expect(__atomic_load_n(dvm__offered, __ATOMIC_RELAXED), 0) ? dvm__is_across() : 0;
}

/* A loop begins (1) or has ended (0) in which nothing but regions uses their arrays. */
static __inline__ void dvm__loop(int dvm__begins)
{
  if (dvm__across_loop(dvm__begins) != dvm__success) {
    dvm__print(dvm__errors, "libdvm: the arrays of a loop of regions cannot be brought back: %s\n", dvm__last_error());
    __builtin_abort();
  }
}

/* A digest with more bytes. */
static __inline__ __UINT64_TYPE__ dvm__digest(__UINT64_TYPE__ dvm__before, const void *dvm__bytes, __SIZE_TYPE__ dvm__count)
{
  const unsigned char *const dvm__byte = dvm__bytes;
  __SIZE_TYPE__ dvm__k;
  for (dvm__k = 0; dvm__k < dvm__count; dvm__k++)
    dvm__before = (dvm__before ^ dvm__byte[dvm__k]) * 1099511628211u;
  return dvm__before;
}

/* The same with a value whose type only the compiler knows. An address differs between processes, and tells nothing. Bytes
 * of a structure that belong to no member may differ as well: then each process runs its own loops. */
#define DVM__DIGEST(dvm__before, dvm__value) \
  dvm__digest_value(dvm__before, &(dvm__value), sizeof(dvm__value), __builtin_classify_type(dvm__value), \
      __LDBL_MANT_DIG__ != 64 ? 0 : __builtin_types_compatible_p(__typeof__(dvm__value), long double) \
      ? 1 : __builtin_types_compatible_p(__typeof__(dvm__value), __complex__ long double) ? 2 : 0)

/* `dvm__long`: so many numbers of ten bytes, with room behind each, are the value: `long double` of x86. */
__attribute__((__unused__)) static __UINT64_TYPE__ dvm__digest_value(__UINT64_TYPE__ dvm__before, const void *dvm__value,
    __SIZE_TYPE__ dvm__count, int dvm__class, int dvm__long)
{
  enum { dvm__pointer = 5 };
  const unsigned char *const dvm__byte = dvm__value;
  int dvm__k;
  for (dvm__k = 0; dvm__k < dvm__long; dvm__k++)
    dvm__before = dvm__digest(dvm__before, dvm__byte + dvm__k * sizeof(long double), 10);
  return dvm__long || dvm__class == dvm__pointer ? dvm__before : dvm__digest(dvm__before, dvm__byte, dvm__count);
}

/* Gives the tiles of a phase to the call that runs them on several processes. */
__attribute__((__unused__)) static void dvm__take_tiles(struct dvm__record *dvm__record, int dvm__dimension,
    const dvm__int64 *dvm__extent, const int *dvm__carried, dvm__int64 (*dvm__footprint)(void *, const dvm__int64 *),
    struct dvm__tiles *dvm__tiles, void *dvm__context)
{
  dvm__int64 dvm__lower[DVM__DIMENSIONS] = {0}, dvm__upper[DVM__DIMENSIONS] = {0};
  dvm__int64 *const dvm__size = dvm__tiles->dvm__size;
  int dvm__k;
  if (dvm__tiles->dvm__failed)
    return;
  if (dvm__region_sizes(dvm__record, dvm__dimension, dvm__extent, dvm__carried, dvm__footprint, dvm__context, dvm__size) !=
      dvm__success)
    for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++)
      dvm__size[dvm__k] = dvm__extent[dvm__k];
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++) {
    if (dvm__tiles->dvm__fixed[dvm__k] > 0)
      dvm__size[dvm__k] = dvm__tiles->dvm__fixed[dvm__k];
    dvm__size[dvm__k] = dvm__max(1, dvm__min(dvm__size[dvm__k], dvm__extent[dvm__k]));
  }
  dvm__tiles->dvm__failed = dvm__across_sizes(dvm__tiles->dvm__across, dvm__dimension, dvm__size);
  if (dvm__tiles->dvm__failed)
    return;
  for (dvm__k = 0; dvm__k < dvm__dimension; dvm__k++)
    dvm__upper[dvm__k] = (dvm__extent[dvm__k] - 1) / dvm__size[dvm__k];
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
  dvm__tiles->dvm__failed = dvm__across_graph(dvm__tiles->dvm__across, &dvm__graph, dvm__tiles->dvm__phase,
      dvm__tiles->dvm__hosts_count, dvm__tiles->dvm__hosts, dvm__tiles->dvm__first, dvm__size);
}

/* Ends the list of what a region writes, with `dvm__back` after bringing back what was there before. */
__attribute__((__unused__, __cold__, __noinline__)) static void dvm__forget(struct dvm__written *dvm__list, int dvm__back)
{
  while (dvm__list) {
    struct dvm__written *const dvm__one = dvm__list;
    dvm__list = dvm__one->dvm__next;
    if (dvm__back)
      dvm__memcpy((void *)dvm__one->dvm__begin, dvm__one->dvm__before, dvm__one->dvm__end - dvm__one->dvm__begin);
    dvm__free(dvm__one->dvm__before);
    dvm__free(dvm__one->dvm__after);
    dvm__free(dvm__one);
  }
}

/* Runs a region on all processes; zero: it runs in each process by itself. `dvm__saved`: what it writes, as it was. */
__attribute__((__unused__)) static int dvm__ran_across(const struct dvm__across *dvm__region, struct dvm__tiles *dvm__tiles,
    const struct dvm__across_array *dvm__arrays, __UINT64_TYPE__ dvm__digest, int dvm__cannot, struct dvm__written *dvm__saved)
{
  int dvm__ran = 0;
  dvm__tiles->dvm__arithmetic = dvm__get_arithmetic();
  const int dvm__code = dvm__across_run(dvm__region, dvm__tiles, dvm__arrays, dvm__digest, !dvm__cannot, &dvm__ran);
  if (dvm__code != dvm__success && dvm__saved)
    dvm__print(dvm__errors, "libdvm: region %s runs again in this process: %s\n", dvm__region->dvm__name, dvm__last_error());
  dvm__forget(dvm__saved, dvm__code != dvm__success);
  if (dvm__code != dvm__success && !dvm__saved) {
    /* The arrays may be half done, here or elsewhere: neither going on nor starting again would be right. */
    dvm__print(dvm__errors, "%s: the tiles could not be run to the end: %s\n", dvm__region->dvm__name, dvm__last_error());
    __builtin_abort();
  }
  return dvm__ran;
}
#pragma GCC visibility pop
#pragma pack(pop)
DVM__LOUD
#endif
