void f(int n, double *restrict a, const double *restrict b)
{
    double last = b[n];
#pragma dvm region private(last)
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + last;
        last = b[i];
    }
}
