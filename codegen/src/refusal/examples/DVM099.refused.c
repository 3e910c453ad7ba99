double f(int n, const double *restrict a)
{
    double sum = 0;
#pragma dvm region reassociate
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
