/* expect: the region stands inside an expression */
double f(int n, double *restrict a)
{
  double s = 0;
  return ({
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i];
      a[i] = s * 3;
    }
    s;
  });
}
