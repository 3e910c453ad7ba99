/* expect: this loop's step is not a constant added to its counter */
void f(int n, int step, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i += 2 * step)
    a[i] = 0;
}
