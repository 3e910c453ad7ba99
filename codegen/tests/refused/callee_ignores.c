/* expect: the call of `add` cannot be followed: it does not use one of its arguments */
static void add(double *x, double *y, int i) { x[i] += 1; }
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, b, i);
}
