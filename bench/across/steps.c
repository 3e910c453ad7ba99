/* A time loop whose arrays stay on the processes: `steps COUNT` prints the microseconds of a step, as median and 10 % and 90 %
 * quantiles, and a checksum. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef N
#define N 400
#endif

static double A[N][N], B[N][N];

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void step(const double (*restrict a)[N], double (*restrict b)[N])
{
#pragma dvm region across keep(a, b)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

static int by_size(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    double *times = count > 0 ? malloc((size_t)count * sizeof *times) : NULL;
    if (!times)
        return 2;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = B[i][j] = (7 * i + 3 * j) % 11;
    for (int t = 0; t < count; t++) {
        const double begin = microseconds();
        if (t % 2)
            step((const double (*)[N])B, A);
        else
            step((const double (*)[N])A, B);
        times[t] = microseconds() - begin;
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += A[i][j] * (i + 2 * j);
    printf("%.1f %.1f %.1f %.17g\n", times[count / 2], times[count / 10], times[9 * count / 10], sum);
    free(times);
    return 0;
}
