/* expect: the macro `dvm__min` has the name of a helper */
#define dvm__min(a, b) 0
void f(int n, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
