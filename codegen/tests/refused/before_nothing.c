/* expect: the pragma does not stand before a statement */
void f(int n, int *restrict a)
{
  for (int i = 0; i < n; i++)
    a[i] = 0;
#pragma dvm region
}
