/* stays sequential: 4 regions, without parallelism */
#include "kernel.h"
/* Addresses that get known without `&`: the object is no longer alone. */
typedef struct { double v[40]; double scale; int n; } vector;
typedef struct { vector in; } outer;
static double *kept;
static void keep(double *p) { kept = p; }
static double *same(double *p) { return p; }
static vector shared;
static double initial(int n)
{
  vector s = { .scale = 2 };
  double *p = s.v;
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i] = s.v[i] * s.scale + i;
  return s.v[n / 2] + p[n];
}
static double passed(int n)
{
  vector s = { .scale = 3 };
  keep(s.v);
  double *q = kept;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i + 1] = s.v[i] + s.scale;
  return q[n];
}
static double nested(int n)
{
  outer o = { { .scale = 4 } };
  double *q = same(o.in.v);
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i + 1] = q[i] + o.in.v[0] + o.in.scale;
  return q[n] + o.in.v[1];
}
static double by_first(int n)
{
  vector s = { .scale = 5 };
  double *q = &s.v[0];
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s.scale += 0.5;
    q[i] = s.scale;
  }
  return q[0] + s.scale;
}
static double by_cast(int n)
{
  vector s = { .scale = 6 };
  char *c = (char *)s.v;
  double *q = (double *)c;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[40] = q[40] + s.scale * 0.25;
  return s.scale;
}
static double by_offset(int n)
{
  vector s = { .scale = 7 };
  double *q = s.v + 3;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[37] = s.scale * 0.25 + i;
  return s.scale;
}
static double in_literal(int n)
{
  vector s = { .scale = 8 };
  struct { double *p; } holder = { s.v };
  double *q = holder.p;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = s.scale + s.v[0];
  return q[n];
}
static double by_choice(int n, int which)
{
  vector s = { .scale = 9 }, t = { .scale = 10 };
  double *q = which ? s.v : t.v;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = s.v[0] + t.v[0] + 1;
  return s.v[0] + t.v[0];
}
static double by_expression(int n)
{
  vector s = { .scale = 9 };
  double *q = ({ 0, s.v; });
  double *r = _Generic(1, int: s.v);
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = s.v[0] + r[0] * 0.5 + 1;
  return s.v[0];
}
static double by_assembly(int n)
{
  vector s = { .scale = 9 };
  double *q;
  __asm__("" : "=r"(q) : "0"(s.v));
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = s.v[0] + 1;
  return s.v[0];
}
static double at_file_scope(int n)
{
  double *q = shared.v;
#pragma dvm region
  for (int i = 0; i < n; i++)
    q[i] = shared.v[0] + 1;
  return shared.v[0];
}
typedef struct { int i[2]; } pair;
static int counted(int n)
{
  pair s = { { 0, 7 } };
  int *k = s.i;
  int sum[50] = { 0 };
#pragma dvm region
  for (int j = 0; j < n; j++) {
    s.i[0] = j;
    sum[j] += k[0];
  }
  return sum[n];
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 38);
  double work[40];
  for (int i = 0; i < 40; i++)
    work[i] = i;
#pragma dvm region
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 2;
  printf("%g %g %g %g %g %g\n", work[n], initial(n), passed(n), nested(n), by_first(n), by_cast(n));
  printf("%g %g %g %g\n", by_offset(n), in_literal(n), by_choice(n, 0), by_choice(n, 1));
  printf("%g %g %g %d\n", by_expression(n), by_assembly(n), at_file_scope(n), counted(n));
}
