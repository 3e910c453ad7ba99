void blocks(int n, double *restrict a)
{
#pragma dvm region
    for (long i = 0; i < n; i++)
        for (long j = 3000000000 * i; j < 3000000000 * i + 8; j++)
            a[j - 2999999992 * i] = 1;
}
