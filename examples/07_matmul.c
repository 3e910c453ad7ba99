/* Matrix product C = A B, three loops in textbook order, square matrices of order N.
 *
 *   dvmcc -O3 07_matmul.c -o matmul && ./matmul 1024 */
#include "result.h"

static void matmul(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n])
{
#pragma dvm region name(matmul)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            C[i][j] = 0.0;
            for (int k = 0; k < n; k++) {
                C[i][j] += A[i][k] * B[k][j];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = 120;
    result_options(argc, argv, 1, &n);
    size_t bytes = sizeof(double) * n * n;
    double *A = result_allocate(bytes), *B = result_allocate(bytes), *C = result_allocate(bytes);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            A[(size_t)i * n + j] = (double)((i * 7 + j * 3) % 11) / 11.0;
            B[(size_t)i * n + j] = (double)((i * 5 + j * 2) % 13) / 13.0;
        }
    }
    result_begin();
    matmul(n, (void *)A, (void *)B, (void *)C);
    result_end("matmul", C, bytes);
    free(C);
    free(B);
    free(A);
    return 0;
}
