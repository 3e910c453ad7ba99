/* expect: `outer` reads `base`, which is thread-local, and tiles run on other threads */
static _Thread_local double base;
static double own(int i) { return base + i; }
static double outer(int i) { return 2 * own(i); }
void f(int n, double *restrict a)
{
  base = 3;
#pragma dvm region pure(outer)
  for (int i = 0; i < n; i++)
    a[i] = outer(i);
}
