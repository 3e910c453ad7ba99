/* expect: an address is used as a value */
static double *kept;
static void add(double *x, int i) { kept = x; x[i] += 1; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i);
}
