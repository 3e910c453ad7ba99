void f(int n, double (*restrict a)[n], double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i < j && !(j == 3))
        a[i][j] = 0;
      else
        a[i][j] = 1;
      if (b[i] > 0)
        a[j][i] = b[j];
    }
}
