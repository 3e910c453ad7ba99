#include "kernel.h"
#include <complex.h>
#include <math.h>
/* Functions of the library whose arguments the plain compiler may know: each iteration has its own, or they are literals. */
enum { STEPS = 3 };
static volatile double exponents[3] = {1.4, 2.0, -1.0};
static double a[200], b[200];
static double _Complex z[200];

static double decay(double x, double by) { return x * exp(-fabs(x) * by) + sin(0.5); }

static void raise(double exponent, int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = pow(b[i], exponent) + a[i] * 0.25;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 150);
  double dt = 0.13, growth = exp(dt);
  fill_double(a, 200, 1), fill_double(b, 200, 2);
  for (int i = 0; i < 200; i++)
    b[i] = 0.1 + fabs(b[i]) / 64, z[i] = a[i] + b[i] * I;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = decay(a[i], dt) + growth + sinh(0.25) + pow(b[i], STEPS) + cos(i * dt) + cabs(z[i]);
  /* What an iteration makes of its own elements differs as well. */
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double x = b[i], y = dt;
    y += x;
    a[i] += log(y) + hypot(x, dt);
    for (int k = 0; k < 3; k++)
      a[i] += exp(-x * k);
  }
  for (int k = 0; k < 3; k++)
    raise(exponents[k], n);
  double square = 2.0;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] += pow(b[i], square);
  int cube = 3;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double own = square * 0.75;
    a[i] += pow(b[i], cube) + pow(b[i], own);
  }
  show("a", a, sizeof a);
  return 0;
}
