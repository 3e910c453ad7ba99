void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 1; i < n; i++)
        a[i] = 0.5 * a[i - 1];
}
