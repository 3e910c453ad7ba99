/* 2048 times x, as sums. */
#define TWICE(x) ((x) + (x))
#define TIMES_16(x) TWICE(TWICE(TWICE(TWICE(x))))

void scale(int n, double *restrict y, const double *restrict x)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        y[i] = TWICE(TWICE(TWICE(TIMES_16(TIMES_16(x[i])))));
}
