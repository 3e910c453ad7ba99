double f(int n, const double *restrict a)
{
    double sum = 0;
#pragma dvm region reduction(+:sum)
    for (int i = n - 1; i >= 0; i--)
        sum += a[i];
    return sum;
}
