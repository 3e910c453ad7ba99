void f(int n, double **a, double **b, double ***c, int **m)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][j] = 2 * j;
      if (m[i][j] > 0)
        b[i][j] = c[i][j][0];
    }
}
