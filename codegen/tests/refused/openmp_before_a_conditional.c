/* expect: OpenMP is on (-fopenmp), and its pragma is about the same loop */
#define _OPENMP 201511
void f(int n, int *restrict a)
{
#ifdef _OPENMP
#pragma omp parallel for
#endif
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
