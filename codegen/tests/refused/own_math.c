/* expect: the function `sin` may do more than compute a value */
static double sum;
static double sin(double x) { return sum += x; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sin(i);
}
