void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 1; i < n; i++)
        a[i] = 0.5 * b[i - 1];
}
