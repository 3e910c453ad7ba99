double f(int n, double *restrict a, double alpha)
{
  double s, t = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    const double w = alpha * i;
    s = a[i];
    a[i] = s * w;
    t += a[i] * w;
  }
  return t;
}
