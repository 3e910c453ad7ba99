/* expect: a conditional of the preprocessor begins or ends inside a statement */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] = i
#ifdef OTHER
           + 1;
#else
           + 2;
#endif
  }
}
