#include "kernel.h"
#include <complex.h>
#include <math.h>
#include <stdbool.h>
typedef float real;
typedef struct { real x, y; short k; } point;
enum colour { RED = 3, GREEN, BLUE = 9 };
typedef struct { enum { DRY = 4, WET } state; } cell;
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 33);
  real f[n + 1];
  long double l[n + 1];
  double complex z[n + 1];
  bool b[n + 1];
  signed char c[n + 1];
  unsigned char u[n + 1];
  unsigned w[n + 1];
  long long big[n + 1];
  point p[n + 1];
  enum colour e[n + 1];
  memset(l, 0, sizeof l);
  memset(p, 0, sizeof p);
  memset(z, 0, sizeof z);
  for (int i = 0; i <= n; i++) {
    f[i] = i * 0.25f; l[i] = i; z[i] = i + 2 * I; b[i] = i % 2; c[i] = i * 7; u[i] = i * 9; w[i] = i * 3; big[i] = -i;
    p[i].x = i; p[i].y = -i; p[i].k = i; e[i] = RED;
  }
#pragma dvm region
  for (int i = 1; i < n; i++) {
    f[i] = sqrtf(f[i - 1] * f[i] + 1) + (real)i / 3;
    l[i] += l[i - 1] / 3;
    z[i] = z[i] * z[i] + conj(z[i]);
    b[i] = !b[i] || i > 10;
    c[i] += c[i - 1];
    u[i] = u[i] * 3 + u[i - 1];
    w[i] = w[i - 1] - w[i] * 7u;
    big[i] = (big[i] << 1) ^ big[i - 1];
    p[i].x += p[i - 1].y;
    p[i].k++;
    e[i] = i % 2 ? GREEN : BLUE;
  }
#pragma dvm region
  for (int i = n - 1; i > 0; i--) {
    p[i] = p[i - 1];
    p[i - 1].y = fmaxf(p[i].x, 2.5f) + RED;
    --c[i];
  }
  cell cells[n + 1];
  memset(cells, 0, sizeof cells);
#pragma dvm region
  for (int i = 0; i < n; i++)
    cells[i].state = i % 2 ? WET : DRY;
  show("cells", cells, sizeof cells);
  show("f", f, sizeof f);
  for (int i = 0; i <= n; i++)
    printf("%La ", l[i]);
  show("z", z, sizeof z);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("u", u, sizeof u);
  show("w", w, sizeof w);
  show("big", big, sizeof big);
  show("p", p, sizeof p);
  show("e", e, sizeof e);
}
