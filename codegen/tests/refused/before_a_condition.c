/* expect: the pragma stands before a line for the preprocessor */
void f(int n, int *restrict a)
{
#pragma dvm region
#ifdef BACKWARDS
  for (int i = n - 1; i >= 0; i--)
#else
  for (int i = 0; i < n; i++)
#endif
    a[i] = 0;
}
