/* expect: is not local to the function, or its address is known elsewhere */
static double t;
double *where(void)
{
  return &t;
}
void f(int n, double *restrict a)
{
#pragma dvm region private(t)
  for (int i = 0; i < n; i++) {
    t = a[i] * 2;
    a[i] = t;
  }
}
