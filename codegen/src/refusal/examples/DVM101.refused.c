void f(int *n, double *restrict a, const int *restrict at)
{
#pragma dvm region
    for (int t = 0; t < 9; t++)
        for (int i = 0; i < *n; i++)
            a[at[i]] += 1;
}
