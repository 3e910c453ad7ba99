void f(int n, double *restrict a)
{
#pragma dvm region
    {
        for (int i = 0; i < n / 2; i++)
            a[i] = 0;
        for (int i = n / 2; i < n; i++)
            a[i] = 1;
    }
}
