void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; 2 * i < n; i++)
        a[i] = 0;
}
