void f(int n, double *restrict a, const double *restrict b)
{
#pragma GCC unroll 4
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
}
