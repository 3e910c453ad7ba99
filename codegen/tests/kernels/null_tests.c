#include "kernel.h"
/* Pointers that may be null: the region asks, and leaves them alone. */
#define IF_SET(p, yes, no) ((p) ? (yes) : (no))
struct layer {
  int n;
  double *mask, *bias;
};
static double in[40 * 40], out[40 * 40], extra[40], sums[40];
static double *shared;

static void forward(double *restrict to, const double *restrict from, const double *bias, int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double value = (bias != NULL) ? bias[j] : 0.0;
      for (int k = 0; k < 3; k++)
        value += from[i * 40 + j] * k;
      to[i * 40 + j] = value;
    }
}

static void backward(double *gradient, double *bias, const double *from, int n)
{
#pragma dvm region
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double d = from[i * 40 + j];
      if (bias != NULL) { bias[j] += d; }
      gradient[j * 40 + i] += d * 0.5;
    }
}

static void other_forms(double *restrict to, double *p, const double *q, int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (p)
      p[i] += 1;
    if (!q)
      to[i] += 2;
    else if (NULL == p || q[i] > 0)
      to[i] -= q[i];
    if (p == 0 && 0 != q)
      to[i + 40] = q[i] * 3;
    to[i + 80] += IF_SET(q, q[i], -1) + (p == NULL) + 2 * !(p && q);
  }
}

static void members(const struct layer *l, double *restrict to)
{
#pragma dvm region
  for (int i = 0; i < l->n; i++) {
    if (l->mask && l->mask[i] > 0)
      to[i] = l->mask[i];
    if (l->bias == NULL)
      to[i] += 0.25;
    else
      to[i] += l->bias[i];
  }
}

static void of_the_file(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (shared)
      shared[i] = in[i] + i;
    else
      out[i] -= 1;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  fill_double(in, 40 * 40, 1);
  fill_double(out, 40 * 40, 2);
  fill_double(extra, 40, 3);
  for (int k = 0; k < 4; k++) {
    double *p = k & 1 ? extra : NULL, *q = k & 2 ? sums : NULL;
    const struct layer layer = { n, p, q };
    forward(out, in, p, n);
    backward(out, q, in, n);
    other_forms(out, p, q, n);
    members(&layer, out + 200);
    shared = k & 1 ? sums : NULL;
    of_the_file(n);
  }
  show("out", out, sizeof out);
  show("extra", extra, sizeof extra);
  show("sums", sums, sizeof sums);
  return 0;
}
