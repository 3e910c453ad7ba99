int f(int n, const double *restrict a)
{
    int all = 1;
#pragma dvm region reduction(&&:all)
    for (int i = 0; i < n; i++)
        all = all && a[i] > 0;
    return all;
}
