/* expect: `name(1x)`: a name is a C identifier and no keyword */
void f(int n, int *restrict a)
{
#pragma dvm region name(1x)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
