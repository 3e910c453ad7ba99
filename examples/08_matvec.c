/* Matrix-vector product c = a b (the report's section 5.1): an imperfect nest of two statements.
 *
 *   dvmcc -O3 08_matvec.c -o matvec && ./matvec 8000 */
#include "result.h"

static void matvec(int n, double a[restrict n][n], double b[restrict n], double c[restrict n])
{
#pragma dvm region name(matvec)
    for (int i = 0; i < n; i++) {
        c[i] = 0;
        for (int j = 0; j < n; j++) {
            c[i] = c[i] + a[i][j] * b[j];
        }
    }
}

int main(int argc, char **argv)
{
    int n = 500;
    result_options(argc, argv, 1, &n);
    double *a = result_allocate(sizeof(double) * n * n);
    double *b = result_allocate(sizeof(double) * n), *c = result_allocate(sizeof(double) * n);
    for (int i = 0; i < n; i++) {
        b[i] = (double)(i % 17) / 17.0;
        for (int j = 0; j < n; j++) {
            a[(size_t)i * n + j] = (double)((i + 3 * j) % 19) / 19.0;
        }
    }
    result_begin();
    matvec(n, (void *)a, b, c);
    result_end("matvec", c, sizeof(double) * n);
    free(c);
    free(b);
    free(a);
    return 0;
}
