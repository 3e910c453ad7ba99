/* expect: `x` is not local to the function, or its address is known elsewhere */
void g(double *);
void f(int n, double *restrict a)
{
  double x[4];
  g(x);
#pragma dvm region private(x)
  for (int i = 0; i < n; i++) {
    x[i & 3] = a[i];
    a[i] = x[i & 3];
  }
}
