/* expect: OpenMP is on (-fopenmp), and its pragma is about the same loop */
#define _OPENMP 201511
void f(int n, int *restrict a)
{
#if 1
#pragma dvm region
#else
#pragma omp parallel
#endif
#if _OPENMP > 2000
#pragma omp for
#endif
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
