void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (double x = 0; x < n; x += 1)
        a[(int)x] = 0;
}
