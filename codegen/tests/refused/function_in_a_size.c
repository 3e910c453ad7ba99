/* expect: the value depends on the line, on the function, or on another thing */
#define HERE __func__
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sizeof(HERE);
}
