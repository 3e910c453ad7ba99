void f(int n, double *restrict a, const int *restrict key)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[key[i]] = i;
}
