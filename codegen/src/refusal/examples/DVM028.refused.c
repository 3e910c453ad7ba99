void f(int n, double *restrict a)
{
    int i, *p = &i;
#pragma dvm region
    for (i = 0; i < n; i++)
        a[i] = *p;
}
