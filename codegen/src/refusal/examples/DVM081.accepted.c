double f(int n, double *restrict a)
{
    double sum = 0;
#pragma dvm region reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
