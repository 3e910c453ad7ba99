/* expect: `own` is declared const or pure, but reads `base`, which is thread-local */
static _Thread_local double base;
__attribute__((pure)) static double own(int i) { return base + i; }
void f(int n, double *restrict a)
{
  base = 3;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = own(i);
}
