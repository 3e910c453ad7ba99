/* expect: the call of `add` cannot be followed: it returns before its end */
static void add(double *x, int i) { if (i > 3) return; x[i] += 1; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i);
}
