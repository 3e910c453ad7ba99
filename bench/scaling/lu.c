/* lu N: the factors of a matrix with a large diagonal, in place. Prints the seconds of the region, and an element. */
#include "scaling.h"

static void lu(int n, double (*restrict a)[n])
{
#pragma dvm region across
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            a[i][k] = nap(a[i][k] / a[k][k]);
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] = nap(a[i][j] - a[i][k] * a[k][j]);
    }
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1);
    double (*a)[n] = elements(n, n);
    if (may_touch())
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = i == j ? n : (7 * i + 3 * j) % 11 / 11.0;
    const double begin = seconds();
    lu(n, a);
    printf("%.6f %.17g\n", seconds() - begin, a[n - 1][n - 1]);
    free(a);
    return 0;
}
