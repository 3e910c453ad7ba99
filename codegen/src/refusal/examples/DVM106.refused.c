double total(int n, const double *restrict x)
{
    double sum = 0;
#pragma dvm region across reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
