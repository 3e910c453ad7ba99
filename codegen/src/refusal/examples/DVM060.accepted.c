void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        {
            double x = b[i];
            a[i] = x * x;
        }
}
