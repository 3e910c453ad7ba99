double f(int n, const double *restrict a, const int *restrict key)
{
    double sum = 0;
#pragma dvm region independent
    for (int i = 0; i < n; i++)
        sum += a[key[i]];
    return sum;
}
