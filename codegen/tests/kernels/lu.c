#include "kernel.h"
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 29);
  int i, j, k;
  double (*A)[n] = room(n * sizeof *A);
  if (n > 0) fill_double(A[0], (long)n * n, 5);
  for (i = 0; i < n; i++) A[i][i] += 500;
#pragma dvm region
  for (k = 0; k < n; k++) {
    for (i = k + 1; i < n; i++)
      A[i][k] /= A[k][k];
    for (i = k + 1; i < n; i++)
      for (j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
  show("A", A, n * sizeof *A);
#pragma dvm region name(second)
  for (k = 0; k < n; k++)
    for (i = k + 1; i < n; i++) {
      double f = A[i][k] / A[k][k];
      for (j = k; j < n; j++)
        A[i][j] -= f * A[k][j];
    }
  show("A", A, n * sizeof *A);
}
