void f(int n, double *restrict a)
#line 100 "template.c"
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}
