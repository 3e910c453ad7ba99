/* Two tables of pointers name the same rows. */
#include <stdio.h>
static void copy(int n, double **to, double **from)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[i][j] = from[i][j] + 1;
}
int main(void)
{
  static double all[41][40];
  double *rows[41];
  for (int i = 0; i < 41; i++)
    rows[i] = all[i];
  copy(40, rows + 1, rows);
  copy(40, rows, rows + 1);
  for (int i = 0; i < 41; i++)
    printf("%g %g\n", all[i][0], all[i][39]);
}
