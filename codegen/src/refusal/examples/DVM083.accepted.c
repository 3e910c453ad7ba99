void f(int n, double *restrict a, const double *restrict b)
{
    double line = __LINE__;
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = line;
}
