void f(int n, double *restrict a)
{
    int m = n / 2;
#pragma dvm region
    for (int i = 0; i < m; i++)
        a[i] = 0;
}
