void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 1; i < n; i += 2)
        a[i] = 2 * b[i];
}
