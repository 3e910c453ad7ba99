/* stays sequential: 21 regions, whose scalars carry a value from one turn to the next or beyond the region */
#include "kernel.h"
/* Scalars and counters that a region leaves behind: each is read afterwards on some way through its function. */

static double before_break(int n, double *restrict a, double *restrict b)
{
  double s = 0;
  for (;;) {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    break;
  }
  return s;
}

static double before_break_in_while(int n, double *restrict a, double *restrict b)
{
  double s = 0;
  while (1) {
    if (n > 3) {
#pragma dvm region
      for (int i = 0; i < n; i++) {
        s = a[i] + 1;
        b[i] = s * 2;
      }
      break;
    }
    s = 7;
    break;
  }
  return s;
}

static double in_a_case(int n, double *restrict a, double *restrict b, int which)
{
  double s = 0;
  switch (which % 3) {
  case 0:
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    break;
  case 1:
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] - 1;
      b[i] = s * 3;
    }
    /* fall through */
  case 2:
    s += 1;
    break;
  default:
    s = 5;
  }
  return s;
}

static double before_continue(int n, double *restrict a, double *restrict b)
{
  double s = 1, total = 0;
  for (int round = 0; round < 3; round++) {
    total += s;
    if (round == 1) {
#pragma dvm region
      for (int i = 0; i < n; i++) {
        s = a[i] + 1;
        b[i] = s * 2;
      }
      continue;
    }
    s = round;
  }
  return total;
}

static double once(int n, double *restrict a, double *restrict b)
{
  double s = 0;
  do {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    if (n > 2)
      break;
    s = 3;
  } while (0);
  return s;
}

static double in_the_next_condition(int n, double *restrict a, double *restrict b)
{
  double s = 0;
  int rounds = 0;
  while (s < 1 && rounds < 2) {
    rounds++;
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    if (rounds == 1)
      continue;
    s = 2;
  }
  return rounds;
}

static double in_the_step(int n, double *restrict a, double *restrict b)
{
  double s = 0, sum = 0;
  for (int round = 0; round < 2; sum += s, round++) {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    if (round == 0)
      continue;
    s = 0.5;
  }
  return sum;
}

static double after_a_label(int n, double *restrict a, double *restrict b)
{
  double s = 0, t = 0;
  int turns = 0;
again:
  t += s;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i] + 1;
    b[i] = s * 2;
  }
  if (++turns < 3)
    goto again;
  s = 0;
  return t + s;
}

static double over_the_definition(int n, double *restrict a, double *restrict b)
{
  double s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i] + 1;
    b[i] = s * 2;
  }
  if (n > 4)
    goto out;
  s = 9;
out:
  return s;
}

static double not_evaluated(int n, double *restrict a, double *restrict b)
{
  int s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = (int)a[i] + 1;
    b[i] = s * 2;
  }
  const int k = _Generic((s = 4), int : 1, default : 2) + (int)sizeof(s = 5) + __builtin_constant_p(s = 6);
  return s + k;
}

static double chosen(int n, double *restrict a, double *restrict b)
{
  int s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = (int)a[i] + 1;
    b[i] = s * 2;
  }
  return _Generic(n, int : s, default : 2);
}

static double elvis(int n, double *restrict a, double *restrict b)
{
  int s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = (int)a[i] + 1;
    b[i] = s * 2;
  }
  return (s ?: -1) + (n > 2 || (s = 3)) + s;
}

static double in_an_array(int n, double *restrict a, double *restrict b)
{
  double s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i] + 1;
    b[i] = s * 2;
  }
  double list[4] = {s};
  return list[0] + list[3];
}

static double as_a_length(int n, double *restrict a, double *restrict b)
{
  int s = 1;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = i % 5 + 1;
    b[i] = s * a[i];
  }
  double room[s];
  typedef char row[s + 1];
  return (double)(sizeof room + sizeof(row) + sizeof(char[s]));
}

static double in_assembly(int n, double *restrict a, double *restrict b)
{
  int s = 0, t;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = (int)a[i] + 1;
    b[i] = s * 2;
  }
  __asm__("" : "=r"(t) : "0"(s));
  return t;
}

static double seen;
static void look(double *s) { seen += *s; }
static double cleaned_up(int n, double *restrict a, double *restrict b)
{
  seen = 0;
  {
    double s __attribute__((cleanup(look))) = 0;
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
  }
  return seen;
}

static double a_computed_jump(int n, double *restrict a, double *restrict b)
{
  double s = 0;
  void *where[] = {&&first, &&second};
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i] + 1;
    b[i] = s * 2;
  }
  goto *where[n > 3];
first:
  s = 2;
second:
  return s;
}

static double left_to_right(int n, double *restrict a, double *restrict b)
{
  double s = 0, t;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i] + 1;
    b[i] = s * 2;
  }
  t = (s += 1, s);
  s = s;
  return t + s;
}

struct pair { double x, y; };
static double a_part(int n, double *restrict a, double *restrict b)
{
  struct pair s = {1, 2}, p = {3, 4}, q = {5, 6};
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = i > 3 ? p : q;
    b[i] = s.x + a[i];
  }
  s.x = 3;
  return s.y;
}

static double counters(int n, double *restrict a, double *restrict b)
{
  int i = -1, j = -2, k = -3;
  long total = 0;
  for (;;) {
#pragma dvm region
    for (i = 0; i < n; i++)
      b[i] = a[i] + 1;
    break;
  }
  total += i;
  switch (n & 1) {
  case 0:
#pragma dvm region
    for (j = 2; j < n; j += 3)
      b[j] += a[j];
    break;
  default:
#pragma dvm region
    for (j = n - 1; j >= 0; j -= 2)
      b[j] += 2;
    goto done;
  }
  total += 1000;
done:
  total += j;
  for (int round = 0; round < 3; round++) {
    total += 10 * k;
#pragma dvm region
    for (k = round; k < n; k++)
      b[k] -= a[k];
    if (round < 2)
      continue;
    k = 1;
  }
  return (double)(total + k);
}

static double in_an_expression(int n, double *restrict a, double *restrict b)
{
  double s = 0;
  return 1 + ({
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] = s * 2;
    }
    s;
  });
}

/* Not read afterwards: here the loops run in parallel, each with its own copy. */
static double dead(int n, double *restrict a, double *restrict b)
{
  double s;
  for (int round = 0; round < 2; round++) {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i] + 1;
      b[i] += s * 2;
    }
    if (round)
      break;
  }
  return 0;
}

typedef double test(int, double *restrict, double *restrict);
int main(int argc, char **argv)
{
  const int n = size_argument(argc, argv, 1, 30);
  double *a = room((n + 1) * sizeof *a), *b = room((n + 1) * sizeof *b);
  static test *const tests[] = {before_break, before_break_in_while, before_continue, once, in_the_next_condition,
      in_the_step, after_a_label, over_the_definition, not_evaluated, chosen, elvis, in_an_array, as_a_length,
      in_assembly, cleaned_up, a_computed_jump, left_to_right, a_part, counters, in_an_expression, dead};
  for (unsigned k = 0; k < sizeof tests / sizeof *tests; k++) {
    fill_double(a, n, (int)k);
    fill_double(b, n, 3);
    printf("%u %g\n", k, tests[k](n, a, b));
    show("b", b, (n + 1) * sizeof *b);
  }
  for (int which = 0; which < 4; which++)
    printf("%g\n", in_a_case(n, a, b, which));
}
