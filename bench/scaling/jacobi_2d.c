/* jacobi_2d N STEPS: both arrays have N x N elements. Prints the seconds of the region, and an element. */
#include "scaling.h"

static void jacobi(int steps, int n, double (*restrict a)[n], double (*restrict b)[n])
{
#pragma dvm region across
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = nap(0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]));
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = nap(0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]));
    }
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1), steps = number(argc, argv, 2);
    double (*a)[n] = elements(n, n), (*b)[n] = elements(n, n);
    if (may_touch())
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = b[i][j] = (7 * i + 3 * j) % 11;
    const double begin = seconds();
    jacobi(steps, n, a, b);
    printf("%.6f %.17g\n", seconds() - begin, a[n / 2][n / 2]);
    free(a);
    free(b);
    return 0;
}
