/* expect: no parallelism was found: line 6 needs what line 6 wrote to `a`, at distance (3) */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 3; i < n; i++)
    a[i] = 0.5 * a[i - 3];
}
