void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = n; i - 1 > 0; i--)
        a[i - 1] = 0;
}
