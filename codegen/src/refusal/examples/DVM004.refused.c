void f(int n, double *restrict a)
{
#pragma dvm region
    double first = a[0];
    for (int i = 1; i < n; i++)
        a[i] = a[i] - first;
}
