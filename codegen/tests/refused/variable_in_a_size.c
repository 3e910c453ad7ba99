/* expect: `m`, which the function declares, stands in a type of a statement */
long m;
void f(int n, char m, double *restrict a)
{
  m++;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sizeof(int[sizeof(m)]);
}
