void f(int n, int step, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i += step)
        a[i] = 0;
}
