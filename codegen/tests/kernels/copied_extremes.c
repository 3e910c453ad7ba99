/* stays sequential: 2 regions */
#include "kernel.h"
/* Minima and maxima by copies of the variable, as translators from Fortran write them; addresses taken later. */
#define N 400
#define max(a, b) ((a) >= (b) ? (a) : (b))
#define min(a, b) ((a) <= (b) ? (a) : (b))
#define abs(x) ((x) >= 0 ? (x) : -(x))
static double a[N], m[N][N];

static double largest(int n)
{
  double value = 0, d1, d2, d3;
  int i, j;
#pragma dvm region reduction(max:value)
  for (j = 0; j < n; j++) {
    for (i = 0; i <= j; i++) {
      d2 = value, d3 = (d1 = m[i][j], abs(d1));
      value = max(d2, d3);
    }
  }
  return value;
}

static void both(int n, double *low, double *high)
{
  double least = 1e30, most = -1e30, d1, d2;
#pragma dvm region reduction(max:most) reduction(min:least)
  for (int i = 0; i < n; i++) {
    d1 = most, d2 = a[i];
    most = max(d1, d2);
    d1 = least, d2 = a[i];
    least = min(d1, d2);
  }
  *low = least;
  *high = most;
}

static long total(int n, const int *v)
{
  long sum = 3, t;
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++) {
    t = sum;
    sum = t + v[i];
  }
  return sum;
}

static void scale(int n, double *sum, double *norm)
{
  *sum = *sum / (n + 1);
  *norm = *norm * 2;
}

/* The address of the sum is taken after the loop only: each iteration has its own. */
static double columns(int n, int kind)
{
  double value = 0, sum, last = 0;
  if (kind) {
#pragma dvm region reduction(max:value)
    for (int j = 0; j < n; j++) {
      sum = 0;
      for (int i = 0; i < n; i++)
        sum += m[i][j];
      value = max(value, sum);
    }
  } else {
    sum = n;
    scale(n, &sum, &last);
    value = sum;
  }
  sum = 1;
  scale(n, &sum, &value);
  return value + sum;
}

/* The last value is read through its address. */
static double afterwards(int n)
{
  double last = 1, norm = 2;
  double *at;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    last = a[i] * 2;
    a[i] = last + 1;
  }
  at = &last;
  scale(n, at, &norm);
  return last + norm;
}

/* The loop runs again after the address is known. */
static double again(int n)
{
  double t = 0, *at = &m[0][0];
  for (int k = 0; k < 3; k++) {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      t = a[i];
      a[i] = t + at[0];
    }
    at = &t;
  }
  return t + *at;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30), v[N];
  double low, high;
  fill_double(a, N, 1);
  fill_double(m[0], N * N, 2);
  fill_int(v, N, 3);
  printf("%a\n", largest(n));
  both(n, &low, &high);
  printf("%a %a %ld\n", low, high, total(n, v));
  printf("%a %a\n", columns(n, 1), columns(n, 0));
  printf("%a\n", afterwards(n));
  printf("%a\n", again(n));
  show("a", a, sizeof a);
  return 0;
}
