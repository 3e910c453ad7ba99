void f(int n, double *restrict a)
{
    double first = a[0];
#pragma dvm region
    for (int i = 1; i < n; i++)
        a[i] = a[i] - first;
}
