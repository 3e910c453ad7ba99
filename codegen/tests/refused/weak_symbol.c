/* expect: `length` may be another name of some other storage */
extern int length __attribute__((weak));
void f(int n, int *restrict a)
{
#pragma dvm region
  for (int i = 1; i < length; i++)
    a[i] = i;
}
