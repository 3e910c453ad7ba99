/* Functions of an included file that the regions of included_functions.c call. */
#ifndef CALLED_H
#define CALLED_H
#define PARTS 3
extern int shift;

static inline void add(double *restrict to, const double *restrict from, double factor)
{
  for (int d = 0; d < PARTS; d++)
    to[d] += factor * from[d];
}
static void clip(double *to, double least)
{
  for (int d = 0; d < PARTS; d++) {
    if (to[d] >= least)
      continue;
    to[d] = least;
  }
}
static inline void nested(double *to, const double *from, int n)
{
  for (int d = 0; d < n; d++)
    to[d] = from[d] + shift;
  clip(to, 0.5);
}
static inline unsigned next(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 16;
}
#endif
