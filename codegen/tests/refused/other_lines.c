/* expect: line 4 of the file sets line numbers that only the preprocessor knows */
void f(int n, int *restrict a)
#ifdef GENERATED
#line 100
#endif
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
