double f(int n, const double *restrict a, double *restrict b)
{
    double last = 0;
#pragma dvm region
    for (int i = 0; i < n; i++) {
        b[i] = 2 * a[i];
        if (a[i] > 0)
            last = a[i];
    }
    return last;
}
