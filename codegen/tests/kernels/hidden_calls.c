/* stays sequential: 9 regions, since callers read what they leave after calls in unusual places */
#include "kernel.h"
#include <math.h>

static double a[40], b[40];
static double p, q, r, s, t, u, v, w, x;
static double y, z;

static int leave_p(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    p = a[i] * 3;
    b[i] += p * p;
  }
  return from;
}

static int leave_q(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    q = a[i] * 3;
    b[i] += q * q;
  }
  return from;
}

static int leave_r(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    r = a[i] * 3;
    b[i] += r * r;
  }
  return from;
}

static int leave_s(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i] * 3;
    b[i] += s * s;
  }
  return from;
}

static int leave_t(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    t = a[i] * 3;
    b[i] += t * t;
  }
  return from;
}

static int leave_u(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    u = a[i] * 3;
    b[i] += u * u;
  }
  return from;
}

static int leave_v(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    v = a[i] * 3;
    b[i] += v * v;
  }
  return from;
}

static int leave_w(int from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    w = a[i] * 3;
    b[i] += w * w;
  }
  return from;
}

static double leave_x(double from)
{
  int n = (int)from;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    x = a[i] * 3;
    b[i] += x * x;
  }
  return from;
}

static double after_otherwise(int n)
{
  p = 1;
  int known = leave_p(n) ?: 3;
  return p + known;
}

static double after_expected(int n)
{
  q = 1;
  if (__builtin_expect(leave_q(n) > 2, 1))
    return q;
  return 0;
}

static double after_length(int n)
{
  r = 1;
  double list[leave_r(n) + 1];
  return r + sizeof list;
}

static double after_choice(int n)
{
  s = 1;
  int known = _Generic(n, int: leave_s(n), default: 0);
  return s + known;
}

static double after_size(int n)
{
  t = 1;
  unsigned long size = sizeof(double[leave_t(n) + 1]);
  return t + size;
}

static double after_statements(int n)
{
  u = 1;
  int known = ({ leave_u(n); 0; }) ?: 3;
  return u + known;
}

static double after_type(int n)
{
  v = 1;
  typedef double list[leave_v(n) + 1];
  return v + sizeof(list);
}

static double after_pointer(int n)
{
  w = 1;
  int (*list)[leave_w(n) + 1] = NULL;
  return w + sizeof *list;
}

static double after_one_of_two(int n)
{
  x = 1;
  double known = (sqrt, leave_x)(n);
  return x + known;
}

/* Functions of the library leave nothing, nor do types of values: these two stay private. */
static double others(int n)
{
  y = n;
  if (__builtin_expect(sqrt(n) > 2, 1))
    y += fabs(y) ?: 2;
  double first = 1;
  __typeof__(first) more = y;
  first += more;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    y = a[i] - 5;
    b[i] += y * y;
  }
  double list[n + 1];
  z = sizeof list;
  first += z;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    z = a[i] / 2;
    b[i] += z - z * z;
  }
  return first;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 9);
  for (int i = 0; i < 40; i++)
    a[i] = (i * 5) % 11 + 1;
  printf("%.17g %.17g %.17g\n", after_otherwise(n), after_expected(n), after_length(n));
  printf("%.17g %.17g %.17g\n", after_choice(n), after_size(n), after_statements(n));
  printf("%.17g %.17g %.17g\n", after_type(n), after_pointer(n), after_one_of_two(n));
  printf("%.17g\n", others(n));
  for (int i = 0; i < 40; i++)
    printf("%.17g\n", b[i]);
  return 0;
}
