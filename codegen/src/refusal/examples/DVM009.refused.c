#define _OPENMP 201511 /* as -fopenmp defines it */
void f(int n, double *restrict a)
{
#pragma dvm region
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}
