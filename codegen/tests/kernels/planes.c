#include "kernel.h"
/* Planes of a linearised volume that are the same in the whole region, as boundary conditions use them: products of
 * parameters in subscripts. */
#define EX(i, j, k) ex[((i) * g->ny + (j)) * g->nz + (k)]
#define EY(i, j, k) ey[((i) * (g->ny - 1) + (j)) * g->nz + (k)]
#define EZ(i, j, k) ez[((i) * g->ny + (j)) * (g->nz - 1) + (k)]
struct grid {
  int nx, ny, nz;
};
static double one[40 * 40 * 40], two[40 * 40 * 40], old[40 * 40];

static void absorb_x(const struct grid *g, double *ey, double *ez, double *seen, double factor, int at, int from)
{
  int i = at;
#pragma dvm region
  for (int j = 0; j < g->ny - 1; j++)
    for (int k = 0; k < g->nz; k++) {
      EY(i, j, k) = seen[j * g->nz + k] + factor * (EY(i + 1, j, k) - EY(i, j, k));
      seen[j * g->nz + k] = EY(i + 1, j, k);
    }
#pragma dvm region
  for (int j = 0; j < g->ny; j++)
    for (int k = 0; k < g->nz - 1; k++)
      EZ(from, j, k) = factor * (EZ(from - 1, j, k) - EZ(from, j, k));
}

static void absorb_y(const struct grid *g, double *ex, double *ez, double *seen, double factor, int j)
{
#pragma dvm region
  for (int i = 0; i < g->nx - 1; i++)
    for (int k = 0; k < g->nz; k++) {
      EX(i, j, k) = seen[i * g->nz + k] + factor * (EX(i, j + 1, k) - EX(i, j, k));
      seen[i * g->nz + k] = EX(i, j + 1, k);
    }
#pragma dvm region
  for (int i = 0; i < g->nx; i++)
    for (int k = 0; k < g->nz - 1; k++)
      EZ(i, j, k) = factor * (EZ(i, j + 1, k) - EZ(i, j, k));
}

/* One plane in each call, also one that is the next one's. */
static void energy(int nx, int ny, int plane, const double *of, double *grid)
{
#pragma dvm region
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++)
      grid[nx * ny * plane + nx * j + i] += of[j] * grid[nx * ny * (plane - 1) + nx * j + i];
}

/* The same numbers, but planes that overlap: the rows are wider than the distance of the planes. */
static void slide(int nx, int by, int width, double *a)
{
#pragma dvm region
  for (int j = 0; j < by; j++)
    for (int i = 0; i < width; i++)
      a[nx * by + nx * j + i] = a[nx * (by - 1) + nx * j + i] * 0.5 + j;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  const struct grid g = { n + 2, n, n + 1 }, h = { 3, n + 3, 2 };
  fill_double(one, 40 * 40 * 40, 1);
  fill_double(two, 40 * 40 * 40, 2);
  fill_double(old, 40 * 40, 3);
  for (int plane = 0; plane < 3; plane++) {
    absorb_x(&g, one, two, old, 0.25, plane, 2);
    absorb_x(&h, one + 9, two + 4000, old + 7, 0.5, plane, plane + 1);
    absorb_y(&g, two, one, old + 1, 0.125, plane);
    absorb_y(&h, one, two, old, 0.5, n);
  }
  for (int plane = 1; plane < 4; plane++)
    energy(n, n + 1, plane, old, one), energy(n + 3, n, plane, old + 1, two);
  slide(n, 3, n, one);
  slide(n, 3, n + 5, one);
  slide(2, n, 5, two);
  show("one", one, sizeof one);
  show("two", two, sizeof two);
  show("old", old, sizeof old);
  return 0;
}
