void f(int n, double (*restrict a)[n], double *restrict y)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = i; k < n; k++)
      s += a[i][k];
    y[i] = s;
  }
}
