/* expect: the value depends on the line */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (i < __COUNTER__ + 3)
      a[i] = 1;
}
