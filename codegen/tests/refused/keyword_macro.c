/* expect: the macro `int` has the name of a word of C */
#define int long
void f(int n, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
