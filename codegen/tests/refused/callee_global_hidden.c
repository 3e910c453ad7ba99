/* expect: the call of `add` cannot be followed: `m` means something else in the region */
static int m;
static void add(double *x, int i) { x[i + m] += 1; }
void f(int n, int m, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i), a[i] += m;
}
