/* LU factorisation without pivoting, in place, of a matrix of order N: each element by its dot product.
 *
 *   dvmcc -O3 09_lu.c -o lu && ./lu 2000 */
#include "result.h"

static void lu(int n, double A[restrict n][n])
{
#pragma dvm region name(lu)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                A[i][j] -= A[i][k] * A[k][j];
            }
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < n; j++) {
            for (int k = 0; k < i; k++) {
                A[i][j] -= A[i][k] * A[k][j];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = 120;
    result_options(argc, argv, 1, &n);
    size_t bytes = sizeof(double) * n * n;
    double *A = result_allocate(bytes);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            A[(size_t)i * n + j] = (double)((i * 3 + j * 5) % 23) / 23.0 + (i == j ? n : 0);
        }
    }
    result_begin();
    lu(n, (void *)A);
    result_end("lu", A, bytes);
    free(A);
    return 0;
}
