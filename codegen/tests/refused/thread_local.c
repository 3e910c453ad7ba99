/* expect: is thread-local */
static __thread double t;
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = t;
}
