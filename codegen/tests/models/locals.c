void f(int n, double (*restrict a)[n])
{
#pragma dvm region
  for (int i = 1; i < n; i++) {
    int im = i - 1;
    double *above = a[im], *here = &a[i][1];
    for (int j = 0; j < n - 1; j++)
      here[j] += *(above + j);
  }
}
