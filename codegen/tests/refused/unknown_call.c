/* expect: the function `g` may do more than compute a value */
double g(double);
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = g(b[i]);
}
