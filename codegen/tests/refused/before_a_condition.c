/* expect: the pragma stands before a line for the preprocessor */
void f(int n, int *restrict a)
{
#pragma dvm region
#ifdef BACKWARDS
#define FIRST n - 1
#endif
#define LAST n
  for (int i = 0; i < LAST; i++)
    a[i] = 0;
}
