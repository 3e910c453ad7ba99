void f(int n, int m, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = b[i * m + j];
}
