void f(int n, double *restrict a)
{
    int i = 0;
#pragma dvm region
    {
        for (; i < n / 2; i++)
            a[i] = 0;
        for (; i < n; i++)
            a[i] = 1;
    }
}
