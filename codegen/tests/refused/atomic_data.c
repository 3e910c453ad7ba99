/* expect: atomic */
void f(int n, _Atomic int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] += 1;
}
