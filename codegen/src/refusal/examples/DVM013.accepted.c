void scale(int n, double *restrict y, const double *restrict x)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        y[i] = 2048 * x[i];
}
