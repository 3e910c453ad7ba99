void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        {
            double y[] = {1, b[i]};
            a[i] = y[0] + y[1];
        }
}
