/* expect: the pragma comes from a macro or from the operator */
void f(int n, int *restrict a)
{
  _Pragma("dvm region")
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
