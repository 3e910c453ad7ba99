/* expect: `pure(nofunc)`: no function of this name is declared */
void f(int n, int *restrict a)
{
#pragma dvm region pure(nofunc)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
