/* expect: a function is called through a pointer */
static int calls;
static double quiet(double x) { return x + 1; }
static double loud(double x) { return x + calls++; }
double f(int n, double *restrict a)
{
#pragma dvm region pure(quiet)
  for (int i = 0; i < n; i++)
    a[i] = (0 ? quiet : loud)(a[i]);
  return calls;
}
