static double square(double x)
{
    return x * x;
}
void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = square(a[i]);
}
