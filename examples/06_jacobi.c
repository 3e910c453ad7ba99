/* Jacobi's iteration in one dimension (the report's section 5.7): T steps over N points.
 *
 *   dvmcc -O3 06_jacobi.c -o jacobi && ./jacobi 400000 1000
 *
 * The tiles of this nest are skewed: each computes several time steps of a moving part of the array, which stays in
 * a core's cache. A plain C compiler ignores the pragma. */
#include "result.h"

static void jacobi(int T, int N, double a[restrict N], double b[restrict N])
{
#pragma dvm region name(jacobi)
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        }
        for (int i = 1; i < N - 1; i++) {
            a[i] = b[i];
        }
    }
}

int main(int argc, char **argv)
{
    int size[2] = {2000, 100};
    result_options(argc, argv, 2, size);
    int N = size[0], T = size[1];
    double *a = result_allocate(sizeof(double) * N);
    double *b = result_allocate(sizeof(double) * N);
    for (int i = 0; i < N; i++) {
        a[i] = (double)(i % 97) / 97.0;
        b[i] = 0.0;
    }
    result_begin();
    jacobi(T, N, a, b);
    result_end("jacobi", a, sizeof(double) * N);
    free(b);
    free(a);
    return 0;
}
