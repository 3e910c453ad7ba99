/* expect: the function `told` may do more than compute a value: it calls `puts`, which may do more than compute a value */
int puts(const char *);
static double told(double x) { puts("x"); return x; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = told(i);
}
