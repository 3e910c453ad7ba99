/* expect: the region stands inside an expression */
int f(int n, double *restrict a)
{
  return (int)sizeof(({
#pragma dvm region
    for (int i = 0; i < n; i++)
      a[i] = 3;
    a[0];
  }));
}
