/* expect: the function `next` may do more than compute a value: it keeps `count` from call to call */
static double next(double x) { static int count; return x + count++; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = next(i);
}
