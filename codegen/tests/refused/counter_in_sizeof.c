/* expect: the value depends on the line */
#define UNIQUE __COUNTER__
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sizeof(char[UNIQUE + 2]);
}
