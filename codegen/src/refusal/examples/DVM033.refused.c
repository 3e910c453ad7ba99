void f(int n, double *restrict a)
{
    int m = n;
#pragma dvm region
    for (int i = 0; i < m; i++) {
        a[i] = 0;
        m = n / 2;
    }
}
