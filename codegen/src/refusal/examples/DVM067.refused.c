void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        {
            double y[] = {[1] = b[i], [0] = 1};
            a[i] = y[0] + y[1];
        }
}
