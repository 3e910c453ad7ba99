/* expect: `private(at)`: `at` is not local to the function, or its address is known elsewhere */
double *kept;
void keep(double *at);
static double look(double *at)
{
  at[0] = 2;
  return *kept;
}
void f(int n, double *restrict a)
{
  double at[3];
  keep(at);
#pragma dvm region private(at)
  for (int i = 0; i < n; i++) a[i] = look(at);
}
