void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        {
            if (b[i] < 0)
                break;
            a[i] = b[i];
        }
}
