/* expect: is not affine */
static void add(double *x, int i) { i = 2 * i; x[i] += 1; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i);
}
