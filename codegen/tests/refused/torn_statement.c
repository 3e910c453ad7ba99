/* expect: a conditional of the preprocessor begins or ends inside a statement */
void f(int n, double *restrict a)
{
  double t;
#pragma dvm region
  for (int i = 0; i < n; i++) {
#ifdef OTHER
    t = 1;
#else
    t = 2 + i;
#endif
    a[i] = t;
  }
}
