/* What the functions of one program work on: numbers, sizes and pointers that a layout of a call lets share storage.
   The program defines NUMBER and REAL. Everything here is C90. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
typedef NUMBER number;
typedef REAL real;
struct part { number n, m, c, u[64], v[24][16]; };
/* What begins at a number of it stays before its pointers. */
struct grid { number n, m, c; struct part q; number sizes[1024], *a, *b; real *x; struct part *p; unsigned char *bytes; };
struct pair { number one, two; real three; };
static number pool[12288], many[8], table[3][2], ga[1024], perm[16], perm8[8], gn, out[16];
static real reals[2048], gx[128], exact[4], loose[4];
static unsigned char bytes[64];
static struct part whole;
static struct grid grid, *top;
#define NN g->n
#define ID(x) x
#define PU(x) g->p->u[x]

/* The arguments of a call. */
static struct grid *g;
static number *len, *dims, *rows[3], *a, *b, *idx;
static real *x, *y;

/* All apart, but what the layout says. */
static void prepare(int layout, number n, number m)
{
  int i;
  for (i = 0; i < 12288; i++)
    pool[i] = i * 7 % 5 & 7;
  for (i = 0; i < 1024; i++)
    ga[i] = i * 5 % 8;
  for (i = 0; i < 2048; i++)
    reals[i] = (real)(i * 37 % 64) / 4 - 8;
  for (i = 0; i < 128; i++)
    gx[i] = (real)(i * 11 % 32) / 2 - 8;
  for (i = 0; i < 16; i++)
    perm[i] = i * 5 % 16;
  for (i = 0; i < 8; i++)
    perm8[i] = i * 3 % 8;
  for (i = 0; i < 64; i++)
    bytes[i] = i % 4;
  memset(&grid, 0, sizeof grid);
  memset(&whole, 0, sizeof whole);
  memset(many, 0, sizeof many);
  memset(table, 0, sizeof table);
  memset(out, 0, sizeof out);
  memset(exact, 0, sizeof exact);
  memset(loose, 0, sizeof loose);
  g = top = &grid;
  gn = g->n = whole.n = g->q.m = g->sizes[1] = n;
  g->m = whole.m = g->q.n = g->sizes[2] = m;
  g->c = 3;
  whole.c = 2;
  g->a = pool + 512;
  g->b = pool + 1024;
  a = pool + 1536;
  rows[0] = pool + 2048;
  rows[1] = pool + 2560;
  rows[2] = pool + 3072;
  len = pool + 3584;
  dims = pool + 3600;
  idx = pool + 5632;
  b = pool + 6144;
  g->p = (struct part *)(pool + 4096);
  g->bytes = bytes;
  x = reals + 128;
  y = reals + 768;
  g->x = reals + 1408;
  *len = n;
  dims[0] = m;
  dims[1] = many[3] = n;
  table[1][0] = m;
  g->p->n = n;
  g->p->m = m;
  switch (layout) {
  case 1: g->a = (number *)g->p - 2; break;
  case 2: g->b = g->a + 5; break;
  case 3: len = g->a + 9; *len = n; break;
  case 4: dims = g->p->u; dims[0] = m; dims[1] = n; break;
  case 5: rows[1] = g->a + 3; break;
  case 6: g->p = &g->q; break;
  case 7: a = len - 3; break;
  case 8: b = a; x = y; break;
  case 9: idx = a; break;
  case 10: idx = a + 3; b = g->b; break;
  case 11: g->a = &g->n; break;
  case 12: g->b = (number *)&g->q; a = g->sizes; break;
  case 13: y = x + 3; g->x = y; b = a + 1; break;
  case 14: g->bytes = (unsigned char *)len; break;
  case 15: g->bytes = (unsigned char *)&g->n; break;
  case 16: a = ga + 2; b = whole.u; break;
  case 17: idx = &gn; rows[1] = many; break;
  case 18: b = a - 4; y = x - 1; g->b = rows[1] + 1; break;
  case 20: a = b = idx = 0; x = y = 0; len = dims = 0; g->p = 0; g->a = g->b = 0; break;
  case 21: a = b = idx = 0; g = top = 0; break;
  }
}

static unsigned long hash(unsigned long all, const void *memory, size_t size)
{
  const unsigned char *byte = (const unsigned char *)memory;
  size_t k;
  for (k = 0; k < size; k++)
    all = (all ^ byte[k]) * 1099511628211ul;
  return all;
}

/* All that a call may leave, without pointers, which differ between runs. */
static unsigned long sum(void)
{
  unsigned long all = 1469598103934665603ul;
  all = hash(all, pool, sizeof pool);
  all = hash(all, many, sizeof many);
  all = hash(all, table, sizeof table);
  all = hash(all, ga, sizeof ga);
  all = hash(all, &gn, sizeof gn);
  all = hash(all, out, sizeof out);
  all = hash(all, reals, sizeof reals);
  all = hash(all, gx, sizeof gx);
  all = hash(all, exact, sizeof exact);
  all = hash(all, bytes, sizeof bytes);
  all = hash(all, &whole, sizeof whole);
  return hash(all, &grid, offsetof(struct grid, a));
}

static unsigned long reassociated(void)
{
  return hash(1, loose, sizeof loose);
}

struct trial { void (*run)(int layout, long n, long m); long seed; int apart; };
