/* expect: an address is used as a value */
static double *kept;
static void keep(double *p) { kept = p; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double x = a[i];
    keep(&x);
    a[i] = x + *kept;
  }
}
