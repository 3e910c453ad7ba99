void f(unsigned n, double *restrict a)
{
#pragma dvm region
    for (unsigned i = n; i - 1 > 0; i--)
        a[i - 1] = 0;
}
