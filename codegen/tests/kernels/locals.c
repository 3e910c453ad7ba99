#include "kernel.h"
static void work(int n, double alpha, double (*restrict a)[n + 2], double (*restrict b)[n + 2])
{
#pragma dvm region
  {
    int i;
    const int last = n - 1;
    for (i = 1; i <= last; i++) {
      int im = i - 1, ip = i + 1;
      const double w = alpha * i;
      double *row = a[im];
      for (int j = 1; j < n; j++) {
        int jm = j - 1;
        b[i][j] = w * (row[jm] + a[ip][j]);
        double t = b[i][j], u;
        u = t * t;
        a[i][j] = u - t;
      }
    }
    for (i = 0; i < n; i++) {
      double part[4] = { 0 };
      for (int j = 0; j < n; j++)
        part[j % 4] += a[i][j];
      b[i][0] = part[0] + part[1] * part[2] + part[3];
    }
  }
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 21);
  double (*a)[n + 2] = room((n + 2) * sizeof *a), (*b)[n + 2] = room((n + 2) * sizeof *b);
  fill_double(a[0], (long)(n + 2) * (n + 2), 1);
  work(n, 0.125, a, b);
  show("a", a, (n + 2) * sizeof *a);
  show("b", b, (n + 2) * sizeof *b);
}
