/* expect: a pragma about the function stands before it */
#pragma omp declare simd
double f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 3 + 1;
  return a[0];
}
