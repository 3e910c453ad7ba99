/* stays sequential: 1 */
#include "kernel.h"
/* Variables that a loop's header declares or sets beside its counter. */
#define N 40
static double a[N * 128], b[N * 128], c[N * 128];
static int at[N];

/* Positions that go on with the counter, with other steps, and backwards. */
static void positions(int n, int m)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = i * m, j = 0; j < m; j++, k++)
      a[k] = b[j] + k;
#pragma dvm region
  for (int i = 0, k = 0; i < n; i++, k += 3)
    b[k] = c[i] * 2;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = m - 1, k = 0; j >= 0; --j, ++k)
      c[i * 64 + k] = a[j];
#pragma dvm region
  for (int j = 0, k = m; j < k; j++, k--)
    c[j] = b[j] + k;
}

/* Bounds that the header computes, and others that follow from these. */
static void bounds(int n, int m)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (int j = 0, last = i + m; j < last; j++)
      a[i * 128 + j] = b[j] + last;
    for (int k = 5, l = k + i, j = 0; j < m; j++, l += 2)
      c[i * 64 + j] += k + l;
    int e = i;
    for (int j = 0, g = e; j < m; j++)
      for (int e = 2, h = g; e < 5; e++, h += 2)
        b[i * 64 + j] += h + e;
  }
}

/* Values that each iteration sets, that data tell, and that one iteration hands to the next. */
static void values(int n, int m)
{
#pragma dvm region
  for (int i = 0, t = 0; i < n; i++) {
    t = at[i];
    a[i] = t;
    c[i] = t + 1;
  }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0, t; j < m; j++) {
      t = at[j];
      a[i * 64 + j] = t;
      b[i * 64 + j] = t + 1;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = at[i], j = 0; j < m; j++, k++)
      a[i * 64 + j] += k;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0, t = 7; j < m; j++) {
      c[i * 64 + j] = t;
      t = t * 5 % 11;
    }
}

/* Variables from outside; the value that the first loop leaves is read. */
static void outside(int n, int m)
{
  int j, k = 0, l, next = 0;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (j = 0, k = i; j < m; j++, k += 2)
      a[i * 128 + k] += j;
  printf("%d\n", k);
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (l = i, j = 0; j < m; l += 2, j++)
      a[i * 128 + l] -= j;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    for (j = 0, next = at[i]; j < m; j++, next = at[next])
      b[i * 64 + j] += next;
    c[i] += 1;
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 11);
  fill_double(a, N * 128, 1);
  fill_double(b, N * 128, 2);
  fill_double(c, N * 128, 3);
  for (int i = 0; i < N; i++)
    at[i] = i * 7 % N;
  positions(n, n + 2);
  bounds(n, n + 2);
  values(n, n + 2);
  outside(n, n + 2);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  return 0;
}
