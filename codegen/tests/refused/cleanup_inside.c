/* expect: `s` is declared in the region with an attribute (CleanupAttr) */
static double seen;
static void look(double *s) { seen += *s; }
double f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double s __attribute__((cleanup(look))) = a[i];
    a[i] = s + 1;
  }
  return seen;
}
