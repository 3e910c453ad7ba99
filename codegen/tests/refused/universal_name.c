/* expect: a name is written with */
void f(int n, int café, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = caf\u00e9;
}
