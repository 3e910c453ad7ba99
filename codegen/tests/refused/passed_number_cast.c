/* expect: `x` is written through a pointer to a constant */
static void change(const double *p) { *(double *)p = 7; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double x = a[i];
    change(&x);
    a[i] = x;
  }
}
