void f(int n, double *restrict a)
{
    double x;
#pragma dvm region private(x)
    for (int i = 0; i < n; i++) {
        x = a[i];
        a[i] = x * x;
    }
}
