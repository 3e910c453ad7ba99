/* expect: is used by a loop around this one, too */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int i = 0; i < 3; i++)
      a[i] += 1;
}
