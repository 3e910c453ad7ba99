void f(int n, double *restrict a, double (*g)(double))
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = g(a[i]);
}
