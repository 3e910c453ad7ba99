/* expect: the attribute `target` of `f` may change what the region computes */
__attribute__((target("no-sse3"))) static inline void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] / 3;
}
void g(int n, double *restrict a) { f(n, a); }
