/* expect: an address is used as a value [*m] */
__attribute__((const)) double sum(double *);
void f(int n, double (*restrict m)[4], double *restrict k, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    { m[i][0] = 1; k[i] = *m[i]; m[i][1] = (*m)[i]; a[i] = sum(*m); }
}
