void f(int n, double *restrict dvm__a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        dvm__a[i] = 0;
}
