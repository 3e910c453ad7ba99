/* expect: line 5 of the file sets other line numbers */
void f(int n, int *restrict a)
{
#pragma dvm region
#line 100
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
