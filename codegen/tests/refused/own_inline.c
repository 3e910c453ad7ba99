/* expect: the function `twice` may do more than compute a value: it may have another definition than the one seen here */
inline double twice(double x) { return 2 * x; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = twice(i);
}
