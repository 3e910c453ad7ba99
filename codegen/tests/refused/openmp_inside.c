/* expect: carries OpenMP */
#define _OPENMP 201511
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
#pragma omp simd
    for (int j = 0; j < 3; j++)
      a[i] += j;
  }
}
