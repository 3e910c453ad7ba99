#include "kernel.h"
/* Values of the loops' own variables by macros, which name parameters. Variables of the file have the same names. */
static int stride = 1, offset = 3, rows = 5;
static double weight = 0.25;
typedef double real;
#define AT(i, j) ((i) * stride + (j))
#define SCALED(x) ((x) * weight)
#define TURNED rows - 1 - i
static void spread(int n, int stride, int rows, double weight, const double *restrict from, double (*restrict to)[1024])
{
#pragma dvm region
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) {
            int one = AT(i, j);
            to[0][i * 32 + j] = from[one];
            int two = AT(i, n - 1 - j);
            to[1][i * 32 + j] = from[two];
            real three = SCALED(from[one]), four = SCALED(1) + from[AT(i, 0)];
            to[2][i * 32 + j] = three + four;
        }
    }
#pragma dvm region
    for (int i = 0; i < rows; i++) {
        const int back = TURNED;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += SCALED(from[AT(back, j)]);
        to[3][i] = sum;
    }
}

static double from[64 * 64], to[4][1024];

int main(int argc, char **argv)
{
    int size = size_argument(argc, argv, 1, 8);
    fill_double(from, 64 * 64, 1);
    spread(size, 64 - size, size, 1.5 + offset, from, to);
    printf("%d %d %g\n", stride, rows, weight);
    show("to", to, sizeof to);
    return 0;
}
