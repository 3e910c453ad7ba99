#include "kernel.h"
/* Arrays of one dimension in rows whose length is a number; only the sizes tell whether subscripts stay in their rows. */
enum { ROW = 36 };
static double flat[ROW * ROW * 3], second[ROW * ROW * 3];

static void relax(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      flat[i * ROW + j] = 0.3 * flat[i * ROW + j] + 0.2 * flat[(i - 1) * ROW + j] + 0.25 * flat[i * ROW + j - 1];
}

/* Of three dimensions, and by columns that run backwards. */
static void planes(int n, int m, double *a, double *b)
{
#pragma dvm region
  for (int k = 0; k < 2; k++)
    for (int i = 1; i < n; i++)
      for (int j = 0; j < m; j++)
        a[(k * ROW + i) * ROW + j] += a[(k * ROW + i - 1) * ROW + j] * 0.5 + b[i * ROW + j];
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i * ROW + ROW - 1 - j] = b[(i - 1) * ROW + ROW - 1 - j] * 0.5 + a[j];
}

/* In every second row, from 1 on, and with the next element in the row before. */
static void others(int n, double *a)
{
#pragma dvm region
  for (int i = 0; i < n / 2; i++)
    for (int j = 1; j <= n; j++)
      a[2 * i * ROW + j] = a[2 * i * ROW + j] * 0.5 + i;
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * ROW + j] = a[(i - 1) * ROW + j + 1] * 0.5 + a[i * ROW + j];
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  fill_double(flat, sizeof flat / 8, 1);
  fill_double(second, sizeof second / 8, 2);
  relax(n < 36 ? n : 36);
  relax(ROW);
  relax(ROW + 2);
  planes(30, 36, flat, second);
  planes(9, 38, flat, second);
  planes(9, 17, flat, second);
  planes(9, 17, flat, flat + 5);
  others(30, flat);
  others(ROW, flat);
  others(ROW + 1, second);
  show("flat", flat, sizeof flat);
  show("second", second, sizeof second);
}
