
DVM__QUIET
/* What the tiles of region `phases` need to know. */
struct dvm__phases_context {
  struct dvm__tiles dvm__tiles;
  int n;
  int m;
  int at;
  void *c;
  dvm__int64 dvm__c_length1;
  void *a;
  void *b;
  dvm__int64 dvm__h0; /* values of the loops around the tiles */
};

/* What libdvm learns of region `phases`, and of each of its phases. */
static struct dvm__record dvm__phases_records[] = {
  DVM__RECORD("phases", 3, -1),
  DVM__RECORD("phases", 3, 0),
  DVM__RECORD("phases", 3, 1),
  DVM__RECORD("phases", 3, 2)
};

/* One tile: S1 by (i) from (dvm__o0); in the original order. */
static int dvm__phases_graph_0_tile(void *dvm__context, const dvm__int64 *dvm__tile)
{
  const struct dvm__phases_context *dvm__self = dvm__context;
  const int n = dvm__self->n;
  double *restrict a = dvm__self->a;
  double *restrict b = dvm__self->b;
  const dvm__int64 dvm__b0 = dvm__self->dvm__tiles.dvm__size[0];
  const dvm__int64 dvm__o0 = dvm__self->dvm__tiles.dvm__first[0] + dvm__tile[0] * dvm__b0;
/*dvm: loops*/
  const dvm__int64 dvm__last0 = dvm__min(dvm__o0 + dvm__b0, (dvm__int64)n - 1) - 1;
  DVM__INDEPENDENT
  for (int i = (int)dvm__min(dvm__max(0, dvm__o0), dvm__last0 + 1); i <= dvm__last0; ++i) {
/*dvm: at 10 7*/
    b[i] = a[n - 1 - i];
/*dvm: end*/
  }
/*dvm: helpers*/
  return 0;
}

/* About the bytes that a tile of these sizes touches. */
static dvm__int64 dvm__phases_graph_0_footprint(void *dvm__context, const dvm__int64 *dvm__size)
{
  (void)dvm__context;
  return dvm__bounded(dvm__lines((double)sizeof(double) * (double)dvm__size[0])
       + dvm__lines((double)sizeof(double) * (double)dvm__size[0]));
}

/* Runs the tiles of `phases`. */
static void dvm__phases_graph_0(struct dvm__phases_context *dvm__self)
{
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 dvm__lowest[] = { 0 };
  const dvm__int64 dvm__highest[] = { n - 2 };
  static const int dvm__carried[] = { 0 };
  dvm__run_tiles(&dvm__phases_records[1], 1, dvm__lowest, dvm__highest, dvm__carried, dvm__phases_graph_0_tile, dvm__phases_graph_0_footprint, &dvm__self->dvm__tiles, dvm__self);
}

/* One tile: S0 by (k, i, j) from (dvm__o0, dvm__o1); in the original order. */
static int dvm__phases_graph_1_tile(void *dvm__context, const dvm__int64 *dvm__tile)
{
  const struct dvm__phases_context *dvm__self = dvm__context;
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 m = dvm__self->m;
  const int at = dvm__self->at;
  const dvm__int64 dvm__c_length1 = dvm__self->dvm__c_length1;
  double (*restrict c)[dvm__c_length1] = dvm__self->c;
  double *restrict a = dvm__self->a;
  const dvm__int64 dvm__h0 = dvm__self->dvm__h0;
  const dvm__int64 dvm__b0 = dvm__self->dvm__tiles.dvm__size[0];
  const dvm__int64 dvm__o0 = dvm__self->dvm__tiles.dvm__first[0] + dvm__tile[0] * dvm__b0;
  const dvm__int64 dvm__b1 = dvm__self->dvm__tiles.dvm__size[1];
  const dvm__int64 dvm__o1 = dvm__self->dvm__tiles.dvm__first[1] + dvm__tile[1] * dvm__b1;
/*dvm: loops*/
  const dvm__int64 dvm__last0 = dvm__min(dvm__o0 + dvm__b0, n) - 1;
  for (int i = (int)dvm__min(dvm__max(0, dvm__o0), dvm__last0 + 1); i <= dvm__last0; ++i) {
    const dvm__int64 dvm__last1 = dvm__min(dvm__o1 + dvm__b1, m) - 1;
    for (int j = (int)dvm__min(dvm__max(0, dvm__o1), dvm__last1 + 1); j <= dvm__last1; ++j) {
      {
        const int k = (int)dvm__h0;
/*dvm: at 8 11*/
        c[i][j] = c[i][j] + a[k] * c[k][j] * c[i][at];
/*dvm: end*/
      }
    }
  }
/*dvm: helpers*/
  return 0;
}

/* About the bytes that a tile of these sizes touches. */
static dvm__int64 dvm__phases_graph_1_footprint(void *dvm__context, const dvm__int64 *dvm__size)
{
  const struct dvm__phases_context *dvm__self = dvm__context;
  const dvm__int64 n = dvm__self->n;
  return dvm__bounded(dvm__lines((double)sizeof(double) * (double)dvm__size[1]) * (double)dvm__size[0]
       + dvm__lines((double)sizeof(double) * (double)dvm__size[1]) * (1.0 + (double)(n - 1) - (double)(0))
       + dvm__lines((double)sizeof(double)) * (double)dvm__size[0]
       + dvm__lines((double)sizeof(double) * (1.0 + (double)(n - 1) - (double)(0))));
}

/* Runs the tiles of `phases` for one value of the loops around them. */
static void dvm__phases_graph_1(struct dvm__phases_context *dvm__self)
{
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 m = dvm__self->m;
  const dvm__int64 dvm__lowest[] = { 0, 0 };
  const dvm__int64 dvm__highest[] = { n - 1, m - 1 };
  static const int dvm__carried[] = { 1, 1 };
  dvm__run_tiles(&dvm__phases_records[2], 2, dvm__lowest, dvm__highest, dvm__carried, dvm__phases_graph_1_tile, dvm__phases_graph_1_footprint, &dvm__self->dvm__tiles, dvm__self);
}

/* Runs in the calling thread, in the original order. */
static void dvm__phases_sequence_2(const struct dvm__phases_context *dvm__self)
{
  double *restrict a = dvm__self->a;
  double *restrict b = dvm__self->b;
  const dvm__int64 dvm__h0 = dvm__self->dvm__h0;
/*dvm: loops*/
  {
    const int i = (int)dvm__h0;
/*dvm: at 12 7*/
    a[0] = a[0] * b[i];
/*dvm: end*/
  }
/*dvm: helpers*/
}

/* 1 when what is written shares bytes with other things that the region touches; 2 when the entry reads these. */
static int dvm__phases_overlap(const struct dvm__phases_context *dvm__self)
{
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 m = dvm__self->m;
  const dvm__int64 at = dvm__self->at;
  const dvm__int64 dvm__c_length1 = dvm__self->dvm__c_length1;
  (void)dvm__self;
  dvm__address dvm__begin_a = (dvm__address)dvm__self->a, dvm__end_a = dvm__begin_a;
  if (n >= 2 || (n == 1 && m >= 1)) {
    dvm__end_a = dvm__begin_a + (dvm__address)((1 + (n - 1)) * (dvm__int64)sizeof(double));
    dvm__begin_a += (dvm__address)(((0)) * (dvm__int64)sizeof(double));
  }
  dvm__address dvm__begin_b = (dvm__address)dvm__self->b, dvm__end_b = dvm__begin_b;
  if (n >= 2) {
    dvm__end_b = dvm__begin_b + (dvm__address)((1 + (n - 1)) * (dvm__int64)sizeof(double));
    dvm__begin_b += (dvm__address)(((0)) * (dvm__int64)sizeof(double));
  }
  dvm__address dvm__begin_c = (dvm__address)dvm__self->c, dvm__end_c = dvm__begin_c;
  if (n >= 1 && m >= 1) {
    dvm__end_c = dvm__begin_c + (dvm__address)((1 + ((n - 1)) * dvm__c_length1 + (m >= at + 2 ? m - 1 : at)) * (dvm__int64)sizeof(double));
    dvm__begin_c += (dvm__address)((((0)) * dvm__c_length1 + (at >= 1 ? 0 : at)) * (dvm__int64)sizeof(double));
  }
  if (dvm__begin_c < dvm__end_a && dvm__begin_a < dvm__end_c)
    return dvm__sequential("phases", 3, "`c` and `a` share storage");
  if (dvm__begin_c < dvm__end_b && dvm__begin_b < dvm__end_c)
    return dvm__sequential("phases", 3, "`c` and `b` share storage");
  if (dvm__begin_a < dvm__end_b && dvm__begin_b < dvm__end_a)
    return dvm__sequential("phases", 3, "`a` and `b` share storage");
  return 0;
}

/* For DVM_CHECK=1: copies what the region writes. */
__attribute__((__cold__, __noinline__)) static struct dvm__written *dvm__phases_written(const struct dvm__phases_context *dvm__self)
{
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 m = dvm__self->m;
  const dvm__int64 at = dvm__self->at;
  const dvm__int64 dvm__c_length1 = dvm__self->dvm__c_length1;
  (void)dvm__self;
  struct dvm__written *dvm__list = 0;
  dvm__address dvm__begin_c = (dvm__address)dvm__self->c, dvm__end_c = dvm__begin_c;
  if (n >= 1 && m >= 1) {
    dvm__int64 dvm__place0, dvm__place1;
    dvm__place0 = n - 1;
    dvm__place1 = m >= at + 2 ? m - 1 : at;
    dvm__end_c += (dvm__address)((1 + (dvm__place0) * dvm__c_length1 + dvm__place1) * (dvm__int64)sizeof(double));
    dvm__place0 = 0;
    dvm__place1 = at >= 1 ? 0 : at;
    dvm__begin_c += (dvm__address)(((dvm__place0) * dvm__c_length1 + dvm__place1) * (dvm__int64)sizeof(double));
  }
  dvm__list = dvm__copied(dvm__list, (struct dvm__written){ .dvm__name = "c", .dvm__kind = DVM__KIND(double),
      .dvm__element = sizeof(double), .dvm__rank = 2, .dvm__rows = { 0, dvm__c_length1 }, .dvm__base = (dvm__address)dvm__self->c,
      .dvm__begin = dvm__begin_c, .dvm__end = dvm__end_c });
  dvm__address dvm__begin_a = (dvm__address)dvm__self->a, dvm__end_a = dvm__begin_a;
  if (n >= 2 || (n == 1 && m >= 1)) {
    dvm__int64 dvm__place0;
    dvm__place0 = n - 1;
    dvm__end_a += (dvm__address)((1 + dvm__place0) * (dvm__int64)sizeof(double));
    dvm__place0 = 0;
    dvm__begin_a += (dvm__address)((dvm__place0) * (dvm__int64)sizeof(double));
  }
  dvm__list = dvm__copied(dvm__list, (struct dvm__written){ .dvm__name = "a", .dvm__kind = DVM__KIND(double),
      .dvm__element = sizeof(double), .dvm__rank = 1, .dvm__rows = { 0 }, .dvm__base = (dvm__address)dvm__self->a,
      .dvm__begin = dvm__begin_a, .dvm__end = dvm__end_a });
  dvm__address dvm__begin_b = (dvm__address)dvm__self->b, dvm__end_b = dvm__begin_b;
  if (n >= 2) {
    dvm__int64 dvm__place0;
    dvm__place0 = n - 1;
    dvm__end_b += (dvm__address)((1 + dvm__place0) * (dvm__int64)sizeof(double));
    dvm__place0 = 0;
    dvm__begin_b += (dvm__address)((dvm__place0) * (dvm__int64)sizeof(double));
  }
  dvm__list = dvm__copied(dvm__list, (struct dvm__written){ .dvm__name = "b", .dvm__kind = DVM__KIND(double),
      .dvm__element = sizeof(double), .dvm__rank = 1, .dvm__rows = { 0 }, .dvm__base = (dvm__address)dvm__self->b,
      .dvm__begin = dvm__begin_b, .dvm__end = dvm__end_b });
  return dvm__list == &dvm__lost ? 0 : dvm__list;
}

/* About the number of iterations of region `phases`. */
static dvm__int64 dvm__phases_work(const struct dvm__phases_context *dvm__self)
{
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 m = dvm__self->m;
  return dvm__sum(dvm__sum(dvm__product(dvm__product(dvm__values(0, n - 1), dvm__values(0, n - 1)), dvm__values(0, m - 1)),
      dvm__values(0, n - 2)),
      dvm__values(1, n - 1));
}

/* Runs region `phases`; nonzero: it cannot run here, and nothing was done. */
__attribute__((__noinline__)) static int dvm__phases_run(struct dvm__phases_context *dvm__self)
{
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 m = dvm__self->m;
  const dvm__int64 at = dvm__self->at;
  const dvm__int64 dvm__work = dvm__phases_work(dvm__self);
  if (dvm__unasked(dvm__phases_records, dvm__work))
    return 1;
  if (dvm__waits(dvm__work))
    return dvm__sequential("phases", 3, "the loops so far take less time than libdvm's start");
  if ((n >= 1 && m >= 1 && at <= -1) || (n >= 1 && m >= 1 && at >= m))
    return dvm__sequential("phases", 3, "a subscript leaves its row");
  if (dvm__phases_overlap(dvm__self) || dvm__cannot_start("phases", 3))
    return 1;
  if (!dvm__enter(dvm__phases_records, dvm__work, &dvm__self->dvm__tiles.dvm__entry))
    return 1;
  struct dvm__written *dvm__copies = 0;
  if (dvm__checks())
    dvm__copies = dvm__phases_written(dvm__self);
  if (dvm__copies) {
    dvm__self->dvm__tiles.dvm__copies = dvm__copies;
  }
  if (n >= 2) {
    dvm__phases_graph_0(dvm__self);
  }
  if (m >= 1) {
    for (dvm__int64 dvm__c1 = 0; dvm__c1 < n; dvm__c1 += 1) {
      dvm__self->dvm__h0 = dvm__c1;
      dvm__phases_graph_1(dvm__self);
    }
  }
  for (dvm__int64 dvm__c1 = 1; dvm__c1 < n; dvm__c1 += 1) {
    dvm__self->dvm__h0 = dvm__c1;
    dvm__phases_sequence_2(dvm__self);
  }
  dvm__leave(dvm__phases_records, &dvm__self->dvm__tiles.dvm__entry);
  return dvm__copies ? dvm__swapped(dvm__copies) : 0;
}

DVM__LOUD
{
  DVM__QUIET
  struct dvm__phases_context dvm__phases_context_self = { .n = n, .m = m, .at = at, .c = (void *)c, .dvm__c_length1 = (dvm__int64)(sizeof(c[0]) / sizeof(c[0][0])), .a = (void *)a, .b = (void *)b };
  DVM__LOUD
  if (dvm__phases_run(&dvm__phases_context_self) != 0) {
/*dvm: original*/

/*dvm: end*/
    dvm__leave(dvm__phases_records, &dvm__phases_context_self.dvm__tiles.dvm__entry);
  }
  if (dvm__phases_context_self.dvm__tiles.dvm__copies)
    dvm__compare("phases", "phases.c", 3, dvm__phases_context_self.dvm__tiles.dvm__copies);
}
