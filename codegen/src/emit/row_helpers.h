#ifndef DVM__ROWS
#define DVM__ROWS
DVM__QUIET
/* Memory that a region touches: rows, tables of pointers to rows, arrays. */
struct dvm__span {
  dvm__address dvm__begin, dvm__end;
  int dvm__written;
};
/* What lies around all rows of an array and the tables that name them. */
struct dvm__hull {
  dvm__address dvm__begin, dvm__end;
  int dvm__written;
  int dvm__unordered; /* they do not follow each other in memory */
};
struct dvm__spans {
  /* First look. */
  struct dvm__hull *dvm__hulls;
  int dvm__hull_count;
  /* Second look, if the hulls share bytes: every row. */
  int dvm__exact;
  struct dvm__span *dvm__all; /* room for twice as many: the other half is for sorting */
  __SIZE_TYPE__ dvm__count, dvm__room;
  int dvm__lost; /* there was no memory for all */
};

/* Puts a row or a table into its array's hull. */
static __inline__ void dvm__widen(struct dvm__spans *dvm__in, int dvm__array, dvm__address dvm__begin,
    dvm__address dvm__end, int dvm__written)
{
  struct dvm__hull *const dvm__hull = dvm__in->dvm__hulls + dvm__array;
  if (dvm__begin > dvm__end) {
    dvm__hull->dvm__begin = 0;
    dvm__hull->dvm__end = ~(dvm__address)0;
  }
  if (dvm__begin < dvm__hull->dvm__end)
    dvm__hull->dvm__unordered = 1;
  if (!dvm__hull->dvm__end || dvm__begin < dvm__hull->dvm__begin)
    dvm__hull->dvm__begin = dvm__begin;
  if (dvm__end > dvm__hull->dvm__end)
    dvm__hull->dvm__end = dvm__end;
  dvm__hull->dvm__written |= dvm__written;
}

static void dvm__span(struct dvm__spans *dvm__in, int dvm__array, dvm__address dvm__begin, dvm__address dvm__end,
    int dvm__written)
{
  struct dvm__span *dvm__more;
  if (dvm__in->dvm__lost || dvm__begin == dvm__end)
    return;
  if (!dvm__in->dvm__exact) {
    dvm__widen(dvm__in, dvm__array, dvm__begin, dvm__end, dvm__written);
    return;
  }
  /* The end of a row that wraps around is not known. */
  if (dvm__begin > dvm__end) {
    dvm__in->dvm__lost = 1;
    return;
  }
  if (dvm__in->dvm__count == dvm__in->dvm__room) {
    dvm__in->dvm__room = dvm__in->dvm__room ? 2 * dvm__in->dvm__room : 64;
    dvm__more = (struct dvm__span *)dvm__malloc(2 * dvm__in->dvm__room * sizeof *dvm__more);
    if (!dvm__more) {
      dvm__in->dvm__lost = 1;
      return;
    }
    if (dvm__in->dvm__count)
      dvm__memcpy(dvm__more, dvm__in->dvm__all, dvm__in->dvm__count * sizeof *dvm__more);
    dvm__free(dvm__in->dvm__all);
    dvm__in->dvm__all = dvm__more;
  }
  dvm__more = dvm__in->dvm__all + dvm__in->dvm__count++;
  dvm__more->dvm__begin = dvm__begin;
  dvm__more->dvm__end = dvm__end;
  dvm__more->dvm__written = dvm__written;
}

/* Sorts by merging what is in order already: rows mostly are. */
static struct dvm__span *dvm__sorted(struct dvm__spans *dvm__in)
{
  __SIZE_TYPE__ dvm__first, dvm__second, dvm__last, dvm__at, dvm__count = dvm__in->dvm__count;
  struct dvm__span *dvm__from = dvm__in->dvm__all, *dvm__to = dvm__from + dvm__in->dvm__room, *dvm__other;
  for (;;) {
    __SIZE_TYPE__ dvm__runs = 0;
    dvm__at = 0;
    while (dvm__at < dvm__count) {
      dvm__runs++;
      dvm__first = dvm__at;
      for (dvm__second = dvm__first + 1; dvm__second < dvm__count &&
           dvm__from[dvm__second - 1].dvm__begin <= dvm__from[dvm__second].dvm__begin; dvm__second++) { }
      for (dvm__last = dvm__second + 1; dvm__last < dvm__count &&
           dvm__from[dvm__last - 1].dvm__begin <= dvm__from[dvm__last].dvm__begin; dvm__last++) { }
      if (dvm__last > dvm__count)
        dvm__last = dvm__count;
      {
        __SIZE_TYPE__ dvm__one = dvm__first, dvm__two = dvm__second;
        while (dvm__at < dvm__last) {
          int dvm__left = dvm__one < dvm__second &&
            (dvm__two >= dvm__last || dvm__from[dvm__one].dvm__begin <= dvm__from[dvm__two].dvm__begin);
          dvm__to[dvm__at++] = dvm__from[dvm__left ? dvm__one++ : dvm__two++];
        }
      }
    }
    dvm__other = dvm__from;
    dvm__from = dvm__to;
    dvm__to = dvm__other;
    if (dvm__runs <= 1)
      return dvm__from;
  }
}

/* Whether no hull of written rows shares a byte with another hull. */
static int dvm__hulls_apart(const struct dvm__spans *dvm__in)
{
  const struct dvm__hull *dvm__one, *dvm__other, *const dvm__end = dvm__in->dvm__hulls + dvm__in->dvm__hull_count;
  for (dvm__one = dvm__in->dvm__hulls; dvm__one < dvm__end; dvm__one++) {
    if (dvm__one->dvm__written && dvm__one->dvm__unordered)
      return 0;
    for (dvm__other = dvm__one + 1; dvm__other < dvm__end; dvm__other++)
      if ((dvm__one->dvm__written || dvm__other->dvm__written) && dvm__one->dvm__begin < dvm__other->dvm__end &&
          dvm__other->dvm__begin < dvm__one->dvm__end)
        return 0;
  }
  return 1;
}

/* Whether nothing that is written shares a byte with anything else; frees the list. */
static int dvm__apart(struct dvm__spans *dvm__in)
{
  int dvm__free_of_others = !dvm__in->dvm__lost;
  if (!dvm__in->dvm__exact)
    return dvm__hulls_apart(dvm__in);
  if (dvm__free_of_others && dvm__in->dvm__count) {
    struct dvm__span *dvm__all = dvm__sorted(dvm__in);
    dvm__address dvm__any = 0, dvm__written = 0; /* where the spans before end, and the written ones */
    __SIZE_TYPE__ dvm__at;
    for (dvm__at = 0; dvm__at < dvm__in->dvm__count; dvm__at++) {
      struct dvm__span *dvm__this = dvm__all + dvm__at;
      if (dvm__this->dvm__begin < (dvm__this->dvm__written ? dvm__any : dvm__written))
        dvm__free_of_others = 0;
      if (dvm__any < dvm__this->dvm__end)
        dvm__any = dvm__this->dvm__end;
      if (dvm__this->dvm__written && dvm__written < dvm__this->dvm__end)
        dvm__written = dvm__this->dvm__end;
    }
  }
  dvm__free(dvm__in->dvm__all);
  return dvm__free_of_others;
}
DVM__LOUD
#endif
