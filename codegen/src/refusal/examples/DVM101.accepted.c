void f(int *n, double *restrict a, const int *restrict at)
{
    int count = *n;
#pragma dvm region independent
    for (int i = 0; i < count; i++)
        a[at[i]] += 1;
}
