/* expect: the pragma is not inside a function */
void f(int n, int *restrict a)
{
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
#pragma dvm region
