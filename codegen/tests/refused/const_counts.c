/* expect: `once` is declared const or pure, but keeps `calls` from call to call */
__attribute__((const)) static double once(int i)
{
  static int calls;
  return i + ++calls;
}
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = once(i);
}
