/* expect: changes a variable whose value is not told by the counter */
void f(int n, double *restrict a, const int *restrict next)
{
#pragma dvm region
  for (int i = 0, j = 0; i < n; i++, j = next[j])
    a[i] = j;
}
