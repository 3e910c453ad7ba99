#include "kernel.h"
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 25), cut = size_argument(argc, argv, 2, 4);
  double a[n + 1][n + 3], b[n + 1][n + 3];
  fill_double(a[0], (long)(n + 1) * (n + 3), 1);
  fill_double(b[0], (long)(n + 1) * (n + 3), 2);
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i == j)
        a[i][j] = 1;
      else if (i < j && !(i + j > n) || j == cut)
        a[i][j] += b[i][j];
      else {
        a[i][j] -= 1;
        b[j][i] = a[i][j];
      }
      if (i % 3 == 1 && j % 2)
        b[i][j] += a[i][j / 2];
      if ((i - j) % 2 == -1)
        a[i][j] *= 2;
      if (i >= 3 ? j < 2 : j > 5)
        b[i][j] -= 3;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (a[i][j] > 0)
        b[i][j] += a[i][j];
      else if (b[i][j] < 0 || i == 3)
        b[i][j] = -b[i][j];
      a[i][j] = b[i][j] > 10 && a[i][j] < 4 ? b[i][j] : a[i][j] + 1;
    }
  show("a", a, sizeof a);
  show("b", b, sizeof b);
}
