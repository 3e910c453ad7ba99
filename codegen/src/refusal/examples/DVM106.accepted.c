double total(int n, const double *restrict x)
{
    double sum = 0;
#pragma dvm region reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
