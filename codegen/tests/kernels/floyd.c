#include "kernel.h"
#define MIN(a, b) ((a) < (b) ? (a) : (b))
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 23);
  int (*d)[n] = room(n * sizeof *d), (*e)[n] = room(n * sizeof *e);
  if (n > 0) {
    fill_int(d[0], (long)n * n, 6);
    fill_int(e[0], (long)n * n, 7);
  }
#pragma dvm region
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
#pragma dvm region
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        if (e[i][k] + e[k][j] < e[i][j])
          e[i][j] = e[i][k] + e[k][j];
        e[i][j] = MIN(e[i][j], 90);
      }
  show("d", d, n * sizeof *d);
  show("e", e, n * sizeof *e);
}
