/* expect: the macro `count` has the name of a variable */
void f(int count, int *restrict a)
{
#define count (count - 1)
#pragma dvm region
  for (int i = 0; i < count; i++)
    a[i] = 0;
}
