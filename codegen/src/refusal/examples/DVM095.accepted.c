void f(int n, double *restrict a, const double *restrict b)
{
    double last;
#pragma dvm region private(last)
    for (int i = 0; i < n; i++) {
        last = i > 0 ? b[i - 1] : b[n];
        a[i] = b[i] + last;
    }
}
