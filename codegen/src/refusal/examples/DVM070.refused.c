int printf(const char *, ...);
static double shown(double x)
{
    printf("%g\n", x);
    return x;
}
void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = shown(a[i]);
}
